/* SPDX-License-Identifier: Apache-2.0 */
/* mbedtls.c - hash and encrypt text, and multiply large numbers */
#include <mbedtls/aes.h>
#include <mbedtls/bignum.h>
#include <mbedtls/sha256.h>
#include <mbedtls/sha512.h>
#include <stdio.h>
#include "corpus.h"

static int power(int rounds)
{
	mbedtls_mpi a, e, n, x;
	int bit = 0;

	mbedtls_mpi_init(&a), mbedtls_mpi_init(&e), mbedtls_mpi_init(&n), mbedtls_mpi_init(&x);
	if (mbedtls_mpi_lset(&a, 3) || mbedtls_mpi_lset(&e, 1) || mbedtls_mpi_shift_l(&e, 1023) ||
		mbedtls_mpi_add_int(&e, &e, 12345) || mbedtls_mpi_lset(&n, 1) || mbedtls_mpi_shift_l(&n, 1024) ||
		mbedtls_mpi_sub_int(&n, &n, 105))
		return -1;
	for (int i = 0; i < rounds; i++) {
		if (mbedtls_mpi_exp_mod(&x, &a, &e, &n, NULL) || mbedtls_mpi_add_mpi(&a, &x, &a))
			return -1;
		bit += mbedtls_mpi_get_bit(&x, i);
	}
	mbedtls_mpi_free(&a), mbedtls_mpi_free(&e), mbedtls_mpi_free(&n), mbedtls_mpi_free(&x);
	return bit;
}

int main(int argc, char **argv)
{
	size_t size = corpus_size(argc, 24 << 20);
	unsigned char *text = (unsigned char *)corpus_text(size), key[32] = "key", vector[16] = "vector", hash[64];
	mbedtls_aes_context aes;

	(void)argv;
	mbedtls_aes_init(&aes);
	if (mbedtls_sha256_ret(text, size, hash, 0) || mbedtls_aes_setkey_enc(&aes, key, 256) ||
		mbedtls_aes_crypt_cbc(&aes, MBEDTLS_AES_ENCRYPT, size, vector, text, text) ||
		mbedtls_sha512_ret(text, size, hash + 0, 0))
		return 1;
	printf("%02x %d\n", hash[0], power((int)corpus_size(argc, 160)));
	return 0;
}
