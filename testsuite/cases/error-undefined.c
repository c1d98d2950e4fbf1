/* What ld rejects, ldx rejects with the same words. */
//# error: undefined symbol: nowhere
int nowhere(void);
int main(void) { return nowhere(); }
