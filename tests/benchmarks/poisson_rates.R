# The same uncalibrated estimates by R's survey package: reads a CSV, prints seconds and numbers.
arguments <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages(library(survey))
d <- read.csv(arguments[1])
started <- proc.time()[["elapsed"]]
design <- svydesign(ids = ~1, probs = ~pi, data = d, pps = poisson_sampling(d$pi))
case <- svyratio(~bad, ~answered, design)
claim <- svyratio(~unsupported, ~verifiable, design)
total <- svytotal(~bad, design)
seconds <- proc.time()[["elapsed"]] - started
values <- c(coef(case), SE(case), coef(claim), SE(claim), coef(total), SE(total))
cat(sprintf("%.17g", c(seconds, as.numeric(values))), sep = "\n")
cat(as.character(getRversion()), as.character(packageVersion("survey")), sep = "\n")
