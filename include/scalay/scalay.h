#ifndef SCALAY_SCALAY_H
#define SCALAY_SCALAY_H

/**
 * @file
 * All of ScaLAY: who should hold which part of a matrix, and how it gets there.
 *
 * layout.h says where a matrix is and where it should go; mapping.h decides which process takes which part; redist.h
 * moves it and makes the BLACS context that ScaLAPACK goes on in. factor.h does all of that in one call for a QR
 * factorisation, on the grid that model.h predicts to be best for the machine that measure.h measured; advice.h says
 * whether it is worth it. io.h reads and writes the matrix files.
 */

#include "scalay/advice.h"
#include "scalay/context.h"
#include "scalay/counters.h"
#include "scalay/factor.h"
#include "scalay/io.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/measure.h"
#include "scalay/meter.h"
#include "scalay/model.h"
#include "scalay/multiply.h"
#include "scalay/partition.h"
#include "scalay/pattern.h"
#include "scalay/profile.h"
#include "scalay/profiler.h"
#include "scalay/published.h"
#include "scalay/redist.h"
#include "scalay/schedule.h"
#include "scalay/status.h"
#include "scalay/stencil.h"
#include "scalay/traffic.h"
#include "scalay/types.h"
#include "scalay/workload.h"

#endif
