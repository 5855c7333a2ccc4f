// Every rank says its host and the world's size: shows that a launcher really joined ranks of several hosts into one world.
#include <cstdio>

#include "comm/communicator.hpp"

int main() {
  plumbline::Communicator ranks;
  const double sum_of_ranks = ranks.world().sum(ranks.rank());
  std::printf("host %s world %d sum %.0f\n", ranks.host().c_str(), ranks.size(), sum_of_ranks);
}
