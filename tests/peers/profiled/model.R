# A linear model of random data, fitted and its singular values taken, by R's own routines (LINPACK's QR in Fortran, LAPACK).
size <- as.integer(commandArgs(trailingOnly = TRUE))
set.seed(1)
data <- as.data.frame(matrix(rnorm(size[1] * size[2]), size[1]))
model <- lm(V1 ~ ., data)
values <- svd(as.matrix(data))$d
sorted <- sort(rnorm(10 * size[1]))
cat(summary(model)$r.squared, values[1], sorted[1], "\n")
