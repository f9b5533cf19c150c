"""The reference distribution a design's multiplier is worked out on, before any traffic was seen."""

from __future__ import annotations

#: Predicted risks under the default risk model: 41 mid-quantiles of RAGTruth QA, ExpertQA, DelucionQA
#: and MTRAG answers (2,922 with retrieval known), every source with the same total weight. On traffic
#: like this `sampling.rate` is the share drawn; on riskier traffic more is drawn, on tamer less.
REFERENCE_RISKS = (
    0.098, 0.119, 0.136, 0.147, 0.157, 0.167, 0.173, 0.181, 0.188, 0.196,
    0.204, 0.213, 0.221, 0.228, 0.235, 0.243, 0.251, 0.259, 0.268, 0.276,
    0.285, 0.295, 0.306, 0.315, 0.322, 0.333, 0.345, 0.361, 0.376, 0.396,
    0.416, 0.435, 0.461, 0.489, 0.523, 0.551, 0.588, 0.626, 0.669, 0.722,
    0.831,
)
