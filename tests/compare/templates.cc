// SPDX-License-Identifier: LGPL-2.1-or-later
// Work in templates, the same in each run: the library's and our own.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace work {

// An expression that is known when it is compiled, calls that are not.
template <typename Left, typename Right, typename Operation> struct Binary {
	Left left;
	Right right;

	[[gnu::noinline]] double operator()(double x) const
	{
		return Operation()(left(x), right(x));
	}
};

struct Variable {
	double operator()(double x) const { return x; }
};

template <int number> struct Constant {
	double operator()(double) const { return number; }
};

template <typename L, typename R> auto operator+(L left, R right)
{
	return Binary<L, R, std::plus<>>{left, right};
}

template <typename L, typename R> auto operator*(L left, R right)
{
	return Binary<L, R, std::multiplies<>>{left, right};
}

template <typename Function>
[[gnu::noinline]] double integral(Function f, double from, double to, int steps)
{
	double sum = 0;

	for (int i = 0; i < steps; i++)
		sum += f(from + (to - from) * i / steps);
	return sum / steps;
}

// One template, called by itself with another argument.
template <unsigned int depth> struct Tower {
	static double height(std::vector<double> &stones, double x)
	{
		if (stones.size() % 7 == depth % 7)
			std::sort(stones.begin(), stones.end());
		stones.push_back(x * depth);
		return Tower<depth - 1>::height(stones, x + 1) + stones[depth];
	}
};

template <> struct Tower<0> {
	static double height(std::vector<double> &stones, double)
	{
		return std::accumulate(stones.begin(), stones.end(), 0.0);
	}
};

class Shape {
public:
	virtual ~Shape() = default;
	virtual double size() const = 0;
};

template <typename Inner> class Scaled : public Shape {
	Inner inner;
	double factor;
public:
	explicit Scaled(double f) : inner(f * 0.5), factor(f) {}
	double size() const override { return inner.size() * factor; }
};

class Dot : public Shape {
	std::string name;
public:
	explicit Dot(double f) : name(std::to_string(f)) {}
	double size() const override { return double(name.size()); }
};

std::map<std::string, std::vector<double>> by_name(std::mt19937 &random, int n)
{
	std::map<std::string, std::vector<double>> map;

	for (int i = 0; i < n; i++)
		map["key " + std::to_string(random() % 97)].push_back(i);
	return map;
}

double unwound(int depth, int limit)
{
	if (depth == limit)
		throw std::runtime_error("deep enough");
	std::unique_ptr<Shape> kept = std::make_unique<Dot>(depth);
	return unwound(depth + 1, limit) + kept->size();
}

}

int main(int argc, char **argv)
{
	const work::Variable x;
	const auto f = x * x * x + work::Constant<3>() * x * (x + work::Constant<5>());
	std::mt19937 random(7);
	double sum = 0;

	for (int i = argc > 1 ? std::atoi(argv[1]) : 1; i > 0; i--) {
		std::vector<double> stones;
		std::unordered_map<int, std::function<double(double)>> calls;

		sum += work::integral(f, 0, i, 6000);
		sum += work::Tower<60>::height(stones, i);
		for (const auto &[key, values] : work::by_name(random, 700))
			sum += std::accumulate(values.begin(), values.end(), 0.0) + key.size();
		for (int j = 0; j < 300; j++)
			calls[j * 17 % 101] = [j, &f](double y) { return f(y) + j; };
		for (const auto &call : calls)
			sum += call.second(i);
		for (int j = 0; j < 40; j++)
			sum += std::unique_ptr<work::Shape>(
				new work::Scaled<work::Scaled<work::Dot>>(j))->size();
		try {
			sum += work::unwound(0, 12);
		} catch (const std::exception &error) {
			sum += error.what()[0];
		}
	}
	std::printf("%.6g\n", sum);
	return 0;
}
