// Loops stay scalar where compilers would make vectors of them that no model of the arithmetic as written knows.
#pragma once

namespace {

/// Keeps a term apart from its neighbours, and with it the loop scalar: compilers would join two of them in a vector that has lanes to
/// spare, or gather them under a mask, and what is counted would hang on the flavor.
struct OneByOne {
  template <class Real>
  Real operator()(Real term) const {
    return term;
  }
  float operator()(float term) const { return apart(term); }
  double operator()(double term) const { return apart(term); }
  template <class Real>
  static Real apart(Real term) {
#if defined(__x86_64__)
    asm("" : "+x"(term));
#elif defined(__aarch64__)
    asm("" : "+w"(term));
#endif
    return term;
  }
};

}  // namespace
