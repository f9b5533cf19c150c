# Makes sample.csv, population.json and reference.csv beside it:
#
#     Rscript reference.R
#
# Needs R and its package survey (Debian: r-base-core, r-cran-survey). The committed files were made with
# R 4.2.2 and survey 4.1-1. Each line of reference.csv is one figure of `sentinel estimate` under the
# options named, worked out here by survey, or by a formula of base R where survey has no function for it.
suppressMessages(library(survey))
options(survey.lonely.psu = "fail")
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
set.seed(20261116)

# --- A made-up sample: 50 conversations of 3 answers, drawn with unequal probabilities -----------------
n <- 150
d <- data.frame(event_id = sprintf("r%03d", 1:n), conversation = sprintf("c%02d", rep(1:50, each = 3)))
d$stratum <- c("low", "middle", "high")[1 + (runif(n) > 0.4) + (runif(n) > 0.6)]
d$pi <- round(c(low = 0.06, middle = 0.22, high = 0.7)[d$stratum] * runif(n, 0.6, 1.4), 4)
d$pi[sample(n, 6)] <- 1
d$slice <- sample(c("billing", "legal", "returns"), n, TRUE, c(0.5, 0.3, 0.2))
d$version <- ifelse(runif(n) < 0.45, "v1", "v2")
d$answered <- as.integer(runif(n) > 0.15)
d$answered[seq(1, n, 3)] <- 1 # every conversation has an answer, so that clusters are counted one way
d$labelled <- as.integer(runif(n) > 0.1)
d$labelled[seq(1, n, 3)] <- 1
d$verifiable_claims <- rpois(n, 3)
risk <- c(low = 0.06, middle = 0.15, high = 0.35)[d$stratum] + 0.1 * (d$version == "v2")
d$unsupported_claims <- rbinom(n, d$verifiable_claims, risk)
d$critical_unsupported <- rbinom(n, d$unsupported_claims, 0.4)
silent <- d$answered == 0 | d$labelled == 0
for (column in c("verifiable_claims", "unsupported_claims", "critical_unsupported")) d[silent, column] <- 0
shown <- d
for (column in c("verifiable_claims", "unsupported_claims", "critical_unsupported"))
  shown[d$labelled == 0, column] <- NA
write.csv(shown, "sample.csv", row.names = FALSE, na = "", quote = FALSE)

u <- d[d$labelled == 1, ]
u$fail <- as.integer(u$answered == 1 & u$unsupported_claims > 0)
u$one <- 1
counts <- function(column) {
  weights <- tapply(1 / u$pi, u[[column]], sum)
  round(weights * c(1.1, 0.93, 1.04)[seq_along(weights)])
}
strata <- counts("stratum")
slices <- counts("slice")
slices[1] <- slices[1] + sum(strata) - sum(slices) # both margins are of the same traffic
as_json <- function(x) paste0("{", paste0('"', names(x), '": ', x, collapse = ", "), "}")
writeLines(paste0('{"N": ', sum(strata), ', "stratum": ', as_json(strata), ', "slice": ', as_json(slices), "}"),
           "population.json")

# --- Where the figures go ------------------------------------------------------------------------------
found <- data.frame()
put <- function(options, path, value) {
  stopifnot(length(value) == 1, is.finite(value))
  line <- data.frame(options = options, path = path, value = formatC(value, digits = 15, format = "g"))
  found <<- rbind(found, line)
}
put_estimate <- function(options, path, result, name = "estimate") {
  put(options, paste0(path, ".", name), as.numeric(coef(result))[1])
  put(options, paste0(path, ".se"), as.numeric(SE(result))[1])
}
TOTALS <- c(unsupported_claims = "unsupported_claims", verifiable_claims = "verifiable_claims",
            critical_unsupported = "critical_unsupported", hallucinated_cases = "fail",
            answered = "answered", units = "one")
put_totals <- function(options, design, prefix = "") {
  for (name in names(TOTALS)) {
    total <- svytotal(as.formula(paste0("~", TOTALS[[name]])), design)
    put_estimate(options, paste0(prefix, "totals.", name), total)
  }
}
put_rates <- function(options, design, prefix = "") {
  put_estimate(options, paste0(prefix, "claim_rate"), svyratio(~unsupported_claims, ~verifiable_claims, design))
  put_estimate(options, paste0(prefix, "critical_claim_rate"),
               svyratio(~critical_unsupported, ~verifiable_claims, design))
  put_estimate(options, paste0(prefix, "case_rate"), svyratio(~fail, ~answered, design))
}
put_bounds <- function(options, path, bounds) {
  put(options, paste0(path, ".lower"), as.numeric(bounds)[1])
  put(options, paste0(path, ".upper"), as.numeric(bounds)[2])
}
poisson <- function(rows) svydesign(id = ~1, probs = ~pi, pps = poisson_sampling(rows$pi), data = rows)

# --- Poisson sampling ----------------------------------------------------------------------------------
put_totals("", poisson(u))
put_rates("", poisson(u))
answers <- poisson(u[u$answered == 1, ]) # a domain of a Poisson sample is a Poisson sample
stopifnot(all.equal(as.numeric(SE(svymean(~fail, answers))), as.numeric(SE(svyratio(~fail, ~answered, poisson(u))))))
for (level in c(0.95, 0.9)) for (method in c("logit", "xlogit", "beta")) {
  options <- paste("--ci", method, "--level", level)
  put_bounds(options, "case_rate", attr(svyciprop(~fail, answers, method = method, level = level), "ci"))
}
for (level in c(0.95, 0.9)) {
  options <- paste("--ci normal --level", level)
  put_bounds(options, "claim_rate",
             confint(svyratio(~unsupported_claims, ~verifiable_claims, poisson(u)), level = level))
  put_bounds(options, "case_rate", confint(svymean(~fail, answers), level = level))
}
# Clopper and Pearson's limits at the effective size that survey's variance gives, by base R: what is
# published. With ten failing cases and more nothing is capped, and auto is beta.
limits <- function(rate, size, level) {
  tail <- (1 - level) / 2
  c(qbeta(tail, rate * size, size - rate * size + 1), qbeta(1 - tail, rate * size + 1, size - rate * size))
}
stopifnot(sum(u$fail) >= 10)
ratio <- svyratio(~unsupported_claims, ~verifiable_claims, poisson(u))
rate <- as.numeric(coef(ratio))
size <- rate * (1 - rate) / as.numeric(SE(ratio))^2
put_bounds("--ci beta", "claim_rate", limits(rate, size, 0.95))
put_bounds("", "claim_rate", limits(rate, size, 0.95))
put_bounds("--ci beta-capped", "claim_rate", limits(rate, min(size, sum(u$verifiable_claims)), 0.95))
put_bounds("", "case_rate", attr(svyciprop(~fail, answers, method = "beta"), "ci"))

# --- Slices, and a difference of two of them -----------------------------------------------------------
for (value in sort(unique(u$slice))) {
  prefix <- paste0("domains.slice=", value, ".")
  put_rates("--domains slice", poisson(u[u$slice == value, ]), prefix)
  put_totals("--domains slice", poisson(u[u$slice == value, ]), prefix)
}
sides <- lapply(c("v1", "v2"), function(value) poisson(u[u$version == value, ]))
for (name in c("claim_rate", "case_rate")) {
  formulas <- if (name == "case_rate") list(~fail, ~answered) else list(~unsupported_claims, ~verifiable_claims)
  both <- lapply(sides, function(side) svyratio(formulas[[1]], formulas[[2]], side))
  path <- paste0("contrast.", name)
  put("--contrast version:v1,v2", paste0(path, ".difference"), as.numeric(coef(both[[2]]) - coef(both[[1]])))
  put("--contrast version:v1,v2", paste0(path, ".se"), sqrt(sum(sapply(both, function(x) as.numeric(SE(x))^2))))
}

# --- Ultimate clusters: conversations ------------------------------------------------------------------
CLUSTERS <- "--variance ultimate-cluster --cluster conversation"
clustered <- svydesign(id = ~conversation, weights = ~ I(1 / pi), data = u)
stopifnot(degf(clustered) == 49, degf(subset(clustered, answered == 1)) == 49)
put(CLUSTERS, "degrees_of_freedom", degf(clustered))
put_totals(CLUSTERS, clustered)
put_rates(CLUSTERS, clustered)
for (method in c("logit", "beta")) {
  interval <- svyciprop(~fail, subset(clustered, answered == 1), method = method)
  put_bounds(paste(CLUSTERS, "--ci", method), "case_rate", attr(interval, "ci"))
}
for (value in sort(unique(u$slice))) {
  put_rates(paste(CLUSTERS, "--domains slice"), subset(clustered, slice == value),
            paste0("domains.slice=", value, "."))
}
for (name in c("claim_rate", "case_rate")) {
  formulas <- if (name == "case_rate") list(~fail, ~answered) else list(~unsupported_claims, ~verifiable_claims)
  by <- svyby(formulas[[1]], ~version, clustered, svyratio, denominator = formulas[[2]], covmat = TRUE)
  change <- svycontrast(by, c(-1, 1)) # with the covariance of conversations that have both versions
  put_estimate(paste(CLUSTERS, "--contrast version:v1,v2"), paste0("contrast.", name), change, "difference")
}
single <- svydesign(id = ~1, weights = ~ I(1 / pi), data = u)
put_totals("--variance ultimate-cluster", single)
put_rates("--variance ultimate-cluster", single)

# --- Calibration; with survey only the with-replacement variance takes the residuals -------------------
margin <- function(column, known) {
  frame <- data.frame(names(known), Freq = as.numeric(known))
  names(frame)[1] <- column
  frame
}
CALIBRATED <- paste("--population population.json", CLUSTERS, "--calibrate")
post <- postStratify(clustered, ~stratum, margin("stratum", strata))
put_totals(paste(CALIBRATED, "stratum --method poststratify"), post)
put_rates(paste(CALIBRATED, "stratum --method poststratify"), post)
targets <- c(`(Intercept)` = sum(strata), stratumlow = strata[["low"]], stratummiddle = strata[["middle"]],
             slicelegal = slices[["legal"]], slicereturns = slices[["returns"]])
linear <- calibrate(clustered, ~ stratum + slice, targets)
put_totals(paste(CALIBRATED, "stratum,slice --method linear"), linear)
put_rates(paste(CALIBRATED, "stratum,slice --method linear"), linear)
raked <- calibrate(clustered, ~ stratum + slice, targets, calfun = "raking", epsilon = 1e-12, maxit = 200)
for (name in c("claim_rate", "case_rate")) {
  formulas <- if (name == "case_rate") list(~fail, ~answered) else list(~unsupported_claims, ~verifiable_claims)
  put(paste(CALIBRATED, "stratum,slice --method raking"), paste0(name, ".estimate"),
      as.numeric(coef(svyratio(formulas[[1]], formulas[[2]], raked))))
}
put_totals(paste(CALIBRATED, "stratum,slice --method raking"), raked)
put_rates(paste(CALIBRATED, "stratum,slice --method raking"), raked)

write.csv(found[!duplicated(found[c("options", "path")]), ], "reference.csv", row.names = FALSE)
cat(nrow(found), "figures;", sum(u$fail), "failing cases of", sum(u$answered), "answers\n")
