package calc

import (
	"math/big"
)

func init() {
	functions["abs"] = function{1, 1, "abs(x)", 0, func(_ *evaluator, a []value, _ int) (value, error) {
		if a[0].sign() < 0 {
			return negate(a[0]), nil
		}
		return a[0], nil
	}}
	functions["sign"] = function{1, 1, "sign(x)", 0, func(_ *evaluator, a []value, _ int) (value, error) {
		return small(int64(a[0].sign())), nil
	}}
	functions["floor"] = function{1, 1, "floor(x)", 0, func(_ *evaluator, a []value, at int) (value, error) { return floor(a[0], at) }}
	functions["ceil"] = function{1, 1, "ceil(x)", 0, func(_ *evaluator, a []value, at int) (value, error) {
		v, err := floor(negate(a[0]), at)
		if err != nil {
			return value{}, err
		}
		return negate(v), nil
	}}
	trunc := function{1, 1, "trunc(x)", 0, func(_ *evaluator, a []value, at int) (value, error) {
		if a[0].sign() >= 0 {
			return floor(a[0], at)
		}
		v, err := floor(negate(a[0]), at)
		if err != nil {
			return value{}, err
		}
		return negate(v), nil
	}}
	functions["trunc"], functions["int"] = trunc, trunc
	functions["round"] = function{1, 2, "round(x) or round(x, digits)", 0, round}
	functions["factorial"] = function{1, 1, "factorial(n)", 0, factorial}
	functions["comb"] = function{2, 2, "comb(n, k)", 0, combinations}
	functions["perm"] = function{2, 2, "perm(n, k)", 0, permutations}
	functions["gcd"] = function{1, -1, "gcd(a, b, …)", 0, foldWhole("gcd", func(a, b *big.Int) *big.Int { return new(big.Int).GCD(nil, nil, a, b) })}
	functions["lcm"] = function{1, -1, "lcm(a, b, …)", 0, foldWhole("lcm", leastMultiple)}
	functions["isqrt"] = function{1, 1, "isqrt(n)", 0, func(_ *evaluator, a []value, at int) (value, error) {
		n, err := wholeArgument("isqrt", a[0], at)
		if err != nil {
			return value{}, err
		}
		if n.Sign() < 0 {
			return value{}, fail(at, "isqrt takes no negative number")
		}
		return integer(new(big.Int).Sqrt(n)), nil
	}}
}

// round rounds half to even, like Python, at a decimal place.
func round(_ *evaluator, a []value, at int) (value, error) {
	places := int64(0)
	if len(a) == 2 {
		n, err := wholeArgument("round", a[1], at)
		if err != nil {
			return value{}, err
		}
		if !n.IsInt64() || n.Int64() > maxExact || n.Int64() < -maxDigits {
			return value{}, fail(at, "round takes from %d to %d digits", -maxDigits, maxExact)
		}
		places = n.Int64()
	}
	x, err := a[0].rational(at)
	if err != nil {
		return value{}, err
	}
	scale := new(big.Rat).SetInt(powerOfTen(int(max(places, -places))))
	if places < 0 {
		scale.Inv(scale)
	}
	scaled := new(big.Rat).Mul(x, scale)
	return fraction(new(big.Rat).Quo(new(big.Rat).SetInt(halfEven(scaled)), scale), at)
}

// halfEven is the nearest integer, the even one of two.
func halfEven(x *big.Rat) *big.Int {
	down, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	switch twice := rest.Lsh(rest, 1); twice.Cmp(x.Denom()) {
	case 1:
		return down.Add(down, big.NewInt(1))
	case 0:
		return down.Add(down, big.NewInt(int64(down.Bit(0))))
	}
	return down
}

func wholeArgument(name string, v value, at int) (*big.Int, error) {
	n, ok := v.whole()
	if !ok {
		return nil, fail(at, "%s takes integers, not %s", name, v)
	}
	return n, nil
}

// maxFactorial is the largest n whose factorial can be written down.
const maxFactorial = 3_248

// smallArgument is an argument from 0 to maxFactorial.
func smallArgument(name string, v value, at int) (int64, error) {
	n, err := wholeArgument(name, v, at)
	if err != nil {
		return 0, err
	}
	if n.Sign() < 0 {
		return 0, fail(at, "%s takes no negative number", name)
	}
	if !n.IsInt64() || n.Int64() > maxFactorial {
		return 0, fail(at, "%s takes numbers up to %d: the result would have more than %d digits", name, maxFactorial, maxDigits)
	}
	return n.Int64(), nil
}

func factorial(e *evaluator, a []value, at int) (value, error) {
	n, err := smallArgument("factorial", a[0], at)
	if err != nil {
		return value{}, err
	}
	if err := e.spend(int(n*n)/100, at); err != nil {
		return value{}, err
	}
	return integer(new(big.Int).MulRange(1, n)), nil
}

func combinations(e *evaluator, a []value, at int) (value, error) {
	n, k, err := choice("comb", a, at)
	if err != nil {
		return value{}, err
	}
	if k > n {
		return small(0), nil
	}
	if err := e.spend(int(n*n)/100, at); err != nil {
		return value{}, err
	}
	return integer(new(big.Int).Binomial(n, k)), nil
}

func permutations(e *evaluator, a []value, at int) (value, error) {
	n, k, err := choice("perm", a, at)
	if err != nil {
		return value{}, err
	}
	if k > n {
		return small(0), nil
	}
	if err := e.spend(int(n*n)/100, at); err != nil {
		return value{}, err
	}
	return integer(new(big.Int).MulRange(n-k+1, n)), nil
}

func choice(name string, a []value, at int) (n, k int64, err error) {
	if n, err = smallArgument(name, a[0], at); err != nil {
		return 0, 0, err
	}
	k, err = smallArgument(name, a[1], at)
	return n, k, err
}

// foldWhole makes a function of many integers from one of two.
func foldWhole(name string, two func(a, b *big.Int) *big.Int) func(*evaluator, []value, int) (value, error) {
	return func(e *evaluator, args []value, at int) (value, error) {
		result := new(big.Int)
		for i, arg := range args {
			n, err := wholeArgument(name, arg, at)
			if err != nil {
				return value{}, err
			}
			if err := e.spend(20+result.BitLen()*n.BitLen()/1024, at); err != nil {
				return value{}, err
			}
			if i == 0 {
				result = new(big.Int).Abs(n)
			} else {
				result = two(result, new(big.Int).Abs(n))
			}
			if result.BitLen() > maxBits {
				return value{}, tooLarge(at)
			}
		}
		return integer(result), nil
	}
}

func leastMultiple(a, b *big.Int) *big.Int {
	if a.Sign() == 0 || b.Sign() == 0 {
		return new(big.Int)
	}
	divisor := new(big.Int).GCD(nil, nil, a, b)
	return new(big.Int).Mul(a, divisor.Quo(b, divisor))
}
