// Included before every file of a bundle in C++: what libstdc++'s headers take of threads from glibc 2.30 alone, waiting by a clock that nobody
// sets, they do without.
#include <bits/c++config.h>
#undef _GLIBCXX_USE_PTHREAD_COND_CLOCKWAIT
#undef _GLIBCXX_USE_PTHREAD_MUTEX_CLOCKLOCK
#undef _GLIBCXX_USE_PTHREAD_RWLOCK_CLOCKLOCK
