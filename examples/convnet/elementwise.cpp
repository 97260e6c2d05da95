// Operators on each element: functions of one or two, broadcast as NumPy does.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "examples/convnet/operators.hpp"

namespace convnet {
namespace {

/// f(x, y) for steps of 0 and 1 that the compiler knows.
template <typename Function>
void with_steps(ptrdiff_t a, ptrdiff_t b, Function function) {
    const std::integral_constant<ptrdiff_t, 0> stay;
    const std::integral_constant<ptrdiff_t, 1> next;
    if (a == 1 && b == 1) {
        function(next, next);
    } else if (a == 1 && b == 0) {
        function(next, stay);
    } else if (a == 0 && b == 1) {
        function(stay, next);
    } else {
        function(a, b);
    }
}

/// f(x, y) of elements of type T, as elements of type R.
template <typename T, typename R, typename Function>
Tensor combine(Context& context, Type type, const Tensor& a, const Tensor& b, Function f) {
    const Shape shape = common_shape(a.shape, b.shape);
    const Tensor x = broadcast(a, shape), y = broadcast(b, shape);
    const Tensor z = make_like(context, type, shape, a.count() >= b.count() ? x : y);
    const T *from = static_cast<const T*>(x.data.get()), *with = static_cast<const T*>(y.data.get());
    R* to = static_cast<R*>(z.data.get());
    for_each_row<3>(context.pool, shape, {&z, &x, &y}, [=](const auto& at, const auto& steps, size_t count) {
        const ptrdiff_t n = ptrdiff_t(count), step = steps[0];
        R* c = to + at[0];
        const T *p = from + at[1], *q = with + at[2];
        with_steps(steps[1], steps[2], [=](auto s, auto t) {
            if (step == 1) {
                for (ptrdiff_t i = 0; i < n; ++i) {
                    c[i] = R(f(p[i * s], q[i * t]));
                }
            } else {
                for (ptrdiff_t i = 0; i < n; ++i) {
                    c[i * step] = R(f(p[i * s], q[i * t]));
                }
            }
        });
    });
    return z;
}

/// Of one operand, floats.
template <typename Function>
void map(Call& call, Function f) {
    const Tensor& x = call.reals(0);
    call.out[0] = combine<float, float>(call.context, Type::f32, x, x, [f](float a, float) { return f(a); });
}

/// Of two operands of one type, or of several, from left to right; the result has that type, or is a boolean.
template <typename Real, typename Integer>
void fold(Call& call, bool compares, Real real, Integer integer) {
    Tensor result = call.operand(0);
    for (size_t i = 1; i < std::max<size_t>(call.in.size(), 2); ++i) {
        const Tensor& other = call.operand(i);
        require(other.type == result.type, "operands of different types");
        const Type type = compares ? Type::boolean : result.type;
        if (!result.is_real()) {
            result = combine<int64_t, int64_t>(call.context, type, result, other, integer);
        } else if (compares) {
            result = combine<float, int64_t>(call.context, type, result, other, real);
        } else {
            result = combine<float, float>(call.context, type, result, other, real);
        }
    }
    call.out[0] = result;
}

/// Integers wrap around.
int64_t wrap(uint64_t x) {
    return static_cast<int64_t>(x);
}
int64_t divide(int64_t a, int64_t b) {
    require(b != 0, "a division by zero");
    return b == -1 ? wrap(-uint64_t(a)) : a / b;
}

void clip(Call& call) {
    const auto bound = [&](size_t i, const char* name, float otherwise) {
        return call.has(i) ? *call.reals(i).reals() : call.real(name, otherwise);
    };
    const float least = bound(1, "min", -kInfinity), most = bound(2, "max", kInfinity);
    map(call, [=](float x) { return std::min(std::max(x, least), most); });
}

void power(Call& call) {
    const Tensor &x = call.reals(0), &y = call.reals(1);
    if (y.count() == 1 && *y.reals() == 2) {
        call.out[0] = combine<float, float>(
            call.context, Type::f32, x, broadcast(y, common_shape(x.shape, y.shape)),
            [](float a, float) { return a * a; });
    } else {
        call.out[0] =
            combine<float, float>(call.context, Type::f32, x, y, [](float a, float b) { return std::pow(a, b); });
    }
}

void negate(Call& call) {
    const Tensor& x = call.operand(0);
    if (x.is_real()) {
        map(call, [](float a) { return -a; });
    } else {
        call.out[0] = combine<int64_t, int64_t>(
            call.context, x.type, x, x, [](int64_t a, int64_t) { return wrap(-uint64_t(a)); });
    }
}

void choose(Call& call) {
    const Tensor &condition = call.operand(0), &a = call.operand(1), &b = call.operand(2);
    require(!condition.is_real() && a.type == b.type, "operands of the wrong types");
    const Shape shape = common_shape(condition.shape, common_shape(a.shape, b.shape));
    const Tensor c = broadcast(condition, shape), x = broadcast(a, shape), y = broadcast(b, shape);
    const Tensor z = make_like(call.context, a.type, shape, c);
    const auto copy = [&](auto kind) {
        using T = decltype(kind);
        const T *p = static_cast<T*>(x.data.get()), *q = static_cast<T*>(y.data.get());
        T* to = static_cast<T*>(z.data.get());
        const int64_t* which = c.integers();
        for_each_row<4>(call.context.pool, shape, {&z, &c, &x, &y}, [=](const auto& at, const auto& steps, size_t n) {
            for (ptrdiff_t i = 0; i < ptrdiff_t(n); ++i) {
                const bool first = which[at[1] + i * steps[1]] != 0;
                to[at[0] + i * steps[0]] = first ? p[at[2] + i * steps[2]] : q[at[3] + i * steps[3]];
            }
        });
    };
    a.is_real() ? copy(float{}) : copy(int64_t{});
    call.out[0] = z;
}

}  // namespace

Tensor add(Context& context, const Tensor& a, const Tensor& b) {
    return combine<float, float>(context, Type::f32, a, b, [](float x, float y) { return x + y; });
}

Tensor multiply(Context& context, const Tensor& a, const Tensor& b) {
    return combine<float, float>(context, Type::f32, a, b, [](float x, float y) { return x * y; });
}

#define MAP(name, expression)                                                            \
    {                                                                                    \
        name, [](Call& call) { map(call, [](float x) -> float { return expression; }); } \
    }
#define MAP_WITH(name, default_alpha, default_beta, expression)                                     \
    {                                                                                               \
        name, [](Call& call) {                                                                      \
            const float a = call.real("alpha", default_alpha), b = call.real("beta", default_beta); \
            map(call, [a, b](float x) -> float { return static_cast<void>(b), expression; });       \
        }                                                                                           \
    }
#define FOLD(name, compares, real, integer)                               \
    {                                                                     \
        name, [](Call& call) {                                            \
            fold(                                                         \
                call, compares, [](float a, float b) { return real; },    \
                [](int64_t a, int64_t b) -> int64_t { return integer; }); \
        }                                                                 \
    }
#define COMPARE(name, sign) FOLD(name, true, a sign b, a sign b)

const Operators kElementwise = {
    MAP("Abs", std::fabs(x)),
    MAP("Ceil", std::ceil(x)),
    MAP("Cos", std::cos(x)),
    MAP("Erf", std::erf(x)),
    MAP("Exp", std::exp(x)),
    MAP("Floor", std::floor(x)),
    MAP("HardSwish", x* std::min(std::max(x / 6 + 0.5F, 0.0F), 1.0F)),
    MAP("Log", std::log(x)),
    MAP("Reciprocal", 1 / x),
    MAP("Relu", x < 0 ? 0 : x),
    MAP("Round", std::nearbyint(x)),
    MAP("Sigmoid", 1 / (1 + std::exp(-x))),
    MAP("Sin", std::sin(x)),
    MAP("Softplus", x > 20 ? x : std::log1p(std::exp(x))),
    MAP("Sqrt", std::sqrt(x)),
    MAP("Tanh", std::tanh(x)),
    MAP_WITH("Elu", 1.0F, 0, x < 0 ? a * std::expm1(x) : x),
    MAP_WITH("HardSigmoid", 0.2F, 0.5F, std::min(std::max(a* x + b, 0.0F), 1.0F)),
    MAP_WITH("LeakyRelu", 0.01F, 0, x < 0 ? a * x : x),
    FOLD("Add", false, a + b, wrap(uint64_t(a) + uint64_t(b))),
    FOLD("Sub", false, a - b, wrap(uint64_t(a) - uint64_t(b))),
    FOLD("Mul", false, a* b, wrap(uint64_t(a) * uint64_t(b))),
    FOLD("Div", false, a / b, divide(a, b)),
    FOLD("Max", false, a < b ? b : a, std::max(a, b)),
    FOLD("Min", false, b < a ? b : a, std::min(a, b)),
    FOLD("PRelu", false, a < 0 ? a * b : a, a < 0 ? wrap(uint64_t(a) * uint64_t(b)) : a),
    COMPARE("Equal", ==),
    COMPARE("Greater", >),
    COMPARE("GreaterOrEqual", >=),
    COMPARE("Less", <),
    COMPARE("LessOrEqual", <=),
    COMPARE("And", &&),
    COMPARE("Or", ||),
    {"Clip", clip},
    {"Neg", negate},
    {"Not",
     [](Call& call) {
         const Tensor& x = call.operand(0);
         require(!x.is_real(), "an operand that is not boolean");
         call.out[0] = combine<int64_t, int64_t>(call.context, x.type, x, x, [](int64_t a, int64_t) { return a == 0; });
     }},
    {"Pow", power},
    {"Sum",
     [](Call& call) { call.in.size() == 1 ? void(call.out[0] = call.operand(0)) : kElementwise.at("Add")(call); }},
    {"Where", choose},
};

}  // namespace convnet
