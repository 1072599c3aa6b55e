package calc

import "sort"

func init() {
	functions["sum"] = function{0, -1, "sum(a, b, …)", 0, sum}
	functions["min"] = function{1, -1, "min(a, b, …)", 0, extreme(-1)}
	functions["max"] = function{1, -1, "max(a, b, …)", 0, extreme(1)}
	average := function{1, -1, "mean(a, b, …)", 0, mean}
	functions["mean"], functions["avg"] = average, average
	functions["median"] = function{1, -1, "median(a, b, …)", 0, median}
	functions["prod"] = function{0, -1, "prod(a, b, …)", 0, func(e *evaluator, a []value, at int) (value, error) {
		return e.fold("*", small(1), a, at)
	}}
}

func (e *evaluator) fold(operator string, result value, args []value, at int) (value, error) {
	var err error
	for _, arg := range args {
		if result, err = e.binary(operator, result, arg, at); err != nil {
			return value{}, err
		}
	}
	return result, nil
}

func sum(e *evaluator, a []value, at int) (value, error) { return e.fold("+", small(0), a, at) }

func mean(e *evaluator, a []value, at int) (value, error) {
	total, err := sum(e, a, at)
	if err != nil {
		return value{}, err
	}
	return e.binary("/", total, small(int64(len(a))), at)
}

// compare orders two values.
func compare(a, b value, at int) (int, error) {
	if a.exact != nil && b.exact != nil {
		return a.exact.Cmp(b.exact), nil
	}
	difference, err := nearly(a, b, at, work.Sub)
	if err != nil {
		return 0, err
	}
	return difference.sign(), nil
}

// extreme finds the smallest (-1) or largest (1) of the arguments.
func extreme(direction int) func(*evaluator, []value, int) (value, error) {
	return func(e *evaluator, args []value, at int) (value, error) {
		best := args[0]
		for _, arg := range args[1:] {
			if err := e.spend(20+arg.size()*best.size()/4, at); err != nil {
				return value{}, err
			}
			order, err := compare(arg, best, at)
			if err != nil {
				return value{}, err
			}
			if order == direction {
				best = arg
			}
		}
		return best, nil
	}
}

func median(e *evaluator, args []value, at int) (value, error) {
	largest := 0
	for _, arg := range args {
		largest = max(largest, arg.size())
	}
	if err := e.spend(len(args)*(20+largest*largest)*4, at); err != nil {
		return value{}, err
	}
	sorted := append([]value(nil), args...)
	var failed error
	sort.SliceStable(sorted, func(i, j int) bool {
		order, err := compare(sorted[i], sorted[j], at)
		if err != nil {
			failed = err
		}
		return order < 0
	})
	if failed != nil {
		return value{}, failed
	}
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle], nil
	}
	return mean(e, sorted[middle-1:middle+1], at)
}
