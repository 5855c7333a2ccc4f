// The lines of Winograd's transformations for F(2x2, 3x3) (Lavin and Gray 2016): a few numbers, or a few lines of them, become a few others
// by sums, differences and halves. CPUs and GPUs share them (constexpr: so nvcc compiles them for GPUs, too); `How` says how each
// operation is done: How::plus, How::minus and How::times. For flavored loops everything is of internal linkage.
#pragma once

namespace {

template <class T>
struct ConvThree {
  T a, b, c;
};
template <class T>
struct ConvFour {
  T a, b, c, d;
};
template <class T>
struct ConvTwo {
  T a, b;
};

#define PLUMBLINE_CONV_LINE constexpr __attribute__((always_inline))

/// An operation on lines is one on each of their elements.
template <class How, class V>
PLUMBLINE_CONV_LINE V conv_plus(const V& x, const V& y) {
  return How::plus(x, y);
}
template <class How, class V>
PLUMBLINE_CONV_LINE V conv_minus(const V& x, const V& y) {
  return How::minus(x, y);
}
template <class How, class V>
PLUMBLINE_CONV_LINE V conv_times(const V& x, const V& y) {
  return How::times(x, y);
}
template <class How, class V>
PLUMBLINE_CONV_LINE ConvThree<V> conv_plus(const ConvThree<V>& x, const ConvThree<V>& y) {
  return {conv_plus<How>(x.a, y.a), conv_plus<How>(x.b, y.b), conv_plus<How>(x.c, y.c)};
}
template <class How, class V>
PLUMBLINE_CONV_LINE ConvThree<V> conv_minus(const ConvThree<V>& x, const ConvThree<V>& y) {
  return {conv_minus<How>(x.a, y.a), conv_minus<How>(x.b, y.b), conv_minus<How>(x.c, y.c)};
}
template <class How, class V>
PLUMBLINE_CONV_LINE ConvThree<V> conv_times(const ConvThree<V>& x, const V& y) {
  return {conv_times<How>(x.a, y), conv_times<How>(x.b, y), conv_times<How>(x.c, y)};
}
template <class How, class V>
PLUMBLINE_CONV_LINE ConvFour<V> conv_plus(const ConvFour<V>& x, const ConvFour<V>& y) {
  return {conv_plus<How>(x.a, y.a), conv_plus<How>(x.b, y.b), conv_plus<How>(x.c, y.c), conv_plus<How>(x.d, y.d)};
}
template <class How, class V>
PLUMBLINE_CONV_LINE ConvFour<V> conv_minus(const ConvFour<V>& x, const ConvFour<V>& y) {
  return {conv_minus<How>(x.a, y.a), conv_minus<How>(x.b, y.b), conv_minus<How>(x.c, y.c), conv_minus<How>(x.d, y.d)};
}

/// A copy, by elements: without optimization clang would call memcpy, and what that moves no code tells.
template <class V>
PLUMBLINE_CONV_LINE V conv_same(const V& x) {
  return x;
}
template <class V>
PLUMBLINE_CONV_LINE ConvThree<V> conv_same(const ConvThree<V>& x) {
  return {x.a, x.b, x.c};
}

template <class How, class T, class V>
PLUMBLINE_CONV_LINE ConvFour<T> conv_filter_line(const ConvThree<T>& x, const V& half) {
  const T outer = conv_plus<How>(x.a, x.c);
  return {conv_same(x.a), conv_times<How>(conv_plus<How>(outer, x.b), half), conv_times<How>(conv_minus<How>(outer, x.b), half),
          conv_same(x.c)};
}
template <class How, class T>
PLUMBLINE_CONV_LINE ConvFour<T> conv_image_line(const ConvFour<T>& x) {
  return {conv_minus<How>(x.a, x.c), conv_plus<How>(x.b, x.c), conv_minus<How>(x.c, x.b), conv_minus<How>(x.b, x.d)};
}
template <class How, class T>
PLUMBLINE_CONV_LINE ConvTwo<T> conv_output_line(const ConvFour<T>& x) {
  return {conv_plus<How>(conv_plus<How>(x.a, x.b), x.c), conv_minus<How>(conv_minus<How>(x.b, x.c), x.d)};
}

}  // namespace
