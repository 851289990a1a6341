#ifndef SCALAY_FACTOR_QR_TYPED_H
#define SCALAY_FACTOR_QR_TYPED_H

/** @file The four instances of qr_worker.c. */

#include "factor/qr_operations.h"

extern const scalay_qr_operations scalay_qr_operations_s;
extern const scalay_qr_operations scalay_qr_operations_d;
extern const scalay_qr_operations scalay_qr_operations_c;
extern const scalay_qr_operations scalay_qr_operations_z;

#endif
