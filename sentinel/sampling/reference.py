"""The reference distribution a design's multiplier is worked out on, before any traffic was seen."""

from __future__ import annotations

#: Predicted risks under the default risk model: 41 mid-quantiles of RAGTruth QA, ExpertQA, DelucionQA
#: and MTRAG answers (2,922 with retrieval known), every source with the same total weight. On traffic
#: like this `sampling.rate` is the share drawn; on riskier traffic more is drawn, on tamer less.
REFERENCE_RISKS = (
    0.111, 0.136, 0.154, 0.165, 0.176, 0.186, 0.193, 0.201, 0.207, 0.216,
    0.222, 0.229, 0.236, 0.243, 0.249, 0.257, 0.263, 0.272, 0.279, 0.286,
    0.295, 0.303, 0.311, 0.319, 0.328, 0.342, 0.354, 0.365, 0.379, 0.396,
    0.417, 0.433, 0.457, 0.486, 0.515, 0.539, 0.576, 0.61, 0.649, 0.704,
    0.811,
)  # fmt: skip
