// SIGTERM, SIGUSR1 and SIGINT ask a run to stop at the next case boundary; what is finished is kept.
#pragma once

namespace plumbline::app {

/// Installed before MPI starts. A second signal of the same kind ends the process at once.
void watch_for_signals();
/// The signal that came, or 0.
int signal_received();

}  // namespace plumbline::app
