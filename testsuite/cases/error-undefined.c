/* What ld rejects, ldx rejects with the same message. */
//# error: undefined reference to `nowhere'
int nowhere(void);
int main(void) { return nowhere(); }
