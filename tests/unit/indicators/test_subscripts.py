"""Brackets with numbers: an index, an interval, values or a pattern cite nothing; glued markers do."""

from __future__ import annotations

import time

import pytest

from tests.unit.indicators.build import indicate

FOUR = ("one", "two", "three", "four")


@pytest.mark.parametrize(
    "answer",
    [
        "The value of items[2] is the third element of the list.",
        "Access items[0] for the first and items[1] for the second element.",
        "In Python, arr[1] is the second element and arr[-1] the last.",
        "Swap a[1] and a[2], then continue with a[3].",
        "Set matrix[1][2] to the sum of matrix[0][2] and matrix[1][1].",
        "The call sys.argv[1] holds the first argument of the script.",
        "Use user.roles[2] to read the third role of a user.",
        "It returns response.data[1].name for the second record.",
        "my_list[2] = 5 changes the third entry of the list.",
        "The variable userNames[1] holds the second name of the user.",
        "Read it as $args[1] in the shell function of yours.",
        "Here x[1] + x[2] must be equal to x[3] in every case.",
        "The function f(x)[1] returns the second value of the pair.",
        "If nums[1] > nums[2], the numbers must be swapped first.",
        "It compares words[1] with words[2] and returns the longer.",
        "dict['a'][1] is the second value under the key of a.",
        "The slice items[1:3] holds the second and third elements.",
        "A regex such as [0-9] or [1-9]\\d* matches the numbers.",
        "The pattern [1-3]{2} matches two digits in a row here.",
        "The class [a-z0-9] matches letters and digits of text.",
        "Use the regular expression ^[1-9]$ for one digit only.",
        "x lies in the interval [1, 2] on the real line of numbers.",
        "The closed interval [2, 4] holds three whole numbers then.",
        "The probability lies in the range [1, 3) for all values.",
        "Scores are on a scale of [1-5] for every question asked.",
        "Choose a number between [1, 4] and tell nobody about it.",
        "f maps [1, 2] to [3, 4] and is continuous everywhere else.",
        "The vector [1, 2, 3] has a length of three in that space.",
        "The list [3, 1, 2] is sorted to [1, 2, 3] in one pass.",
        "An array such as [1, 2, 3] is passed to that function.",
        "The coordinates are [2, 3] on the grid of that board.",
        "sorted([3, 1, 2]) gives [1, 2, 3] as the final result.",
        "The interval [2024-01-01, 2024-12-31] covers a leap year.",
        "It is valid in [2024-01/2024-06] only and never after.",
        "The dates [2019-2021] were hard for travel companies.",
        "The years [2019, 2020] were hard for travel companies.",
        "The book [1984] was written by Orwell in the forties.",
        "He wrote it [in 1999] and published it [in 2001] later.",
        'They said it was "great [sic]" and left the place early.',
        "The emphasis is mine [emphasis mine] in that sentence.",
        "- [x] done with the first\n- [ ] open is the second\n- [X] done",
        "[ ] open the door\n[x] close the door when you leave",
        "Write to [Name], [Address 1], [City] on the envelope first.",
        "Fill in [Insert date here] and [Your company] in the form.",
        "He [the author] wrote that [they] left the city early.",
        "The chemical [Fe(CN)6] and [Cu(NH3)4]2+ are complexes here.",
        "The electron configuration is [Ar] 3d10 4s2 for that atom.",
        "The matrix [[1, 2], [3, 4]] has a determinant of minus two.",
        'JSON: {"ids": [1, 2], "n": 3} is what the service sends.',
        "Its shape is [2, 3] and its dtype is float in that case.",
        "torch.tensor([1, 2, 3]) makes a tensor of three numbers.",
        "Use range [1..4] in Kotlin or Ruby for the same effect.",
        "Press [F1] for help and [F5] to reload the page again.",
        "Step [1/4]: install the package before everything else.",
        "Progress [2/3] is shown in the bar at the bottom there.",
        "It logs [INFO] and [WARN] lines, then [ERROR] when it fails.",
        "It logs [2024-05-01 12:00:00] started before every line.",
        "Use <a href='#'>[edit]</a> to change the text of the page.",
        "Chords: [Am] and [G7] and [C] are played in the first verse.",
        "The verse Genesis [3:16] is quoted often in that context.",
        "The score was [3-1] at the end of a very long evening.",
        "The footnote definition\n[^1]: This is the note itself and nothing else.",
        "Take dosage [mg] 3 times [daily] with a glass of water.",
        "Its version is [v2] in brackets of the changelog entry.",
        "Concentrations such as [H+] and [OH-] determine the pH.",
        "The concentration [Na+] is given in mmol per litre here.",
        "In C, int a[3]; declares an array of three integers then.",
        "char buf[16] reserves sixteen bytes on the stack for it.",
        "The element at index [2] of the array is the third one.",
        "Type `[1]` to choose the first entry of that menu then.",
        "Dial [1] for English or [2] for Spanish on the phone.",
        "Press [1] to continue and [2] to cancel the whole order.",
        "An element such as words[0] is read, and words[3] is not touched at all.",
        "Increment counts[2] whenever tokens[1] is equal to that word.",
        "The expression values[1:3] gives two of them, and values[4] the last.",
        "Compare rows[1] and rows[2] before they are swapped by it.",
        "Its elements are list[1], list[2] and list[3] in that order.",
        "`n` is an index; s[2] = 'x' fails because strings cannot change.",
        "const first = options[1]; sets the variable to that option.",
    ],
)
def test_code_mathematics_and_forms_cite_nothing(answer: str) -> None:
    got = indicate(answer, FOUR).citations
    assert (got.markers, got.valid, got.invalid, got.missing) == (0, (), (), True)


@pytest.mark.parametrize(
    ("answer", "valid"),
    [
        ("Education matters for work[3].", "d3"),
        ("The results[2] are clear to everyone.", "d2"),
        ("There are many items[1], and values[2] differ.", "d1 d2"),
        ("It lists the items[2].", "d2"),
        ("as shown in the data[1].", "d1"),
        ("iPhone[1] and YouTube[2] are brands.", "d1 d2"),
        ("mRNA[1] is translated by ribosomes.", "d1"),
        ("Node.js[1] is a runtime; see example.com[2] too.", "d1 d2"),
        ("Vitamin D3[1] and vitamin C[2] help.", "d1 d2"),
        ("The study (see above)[1] says so.", "d1"),
        ("function(s)[2] differ a lot here.", "d2"),
        ("as in [1, 2] and [3].", "d1 d2 d3"),
        ("This is known from [1, 2].", "d1 d2"),
        ("(see [1])", "d1"),
        ("Studies ([1, 2]) say so.", "d1 d2"),
        ("Option A [1] is cheaper.", "d1"),
        ("This is the best option [2].", "d2"),
        ("Press the key [Enter] to go on [1].", "d1"),
        ("It took 30 days [1-3].", "d1 d2 d3"),
        ("A wide range [1].", "d1"),
        ("a scale [2].", "d2"),
        ("Rows of seats[1] are sold.", "d1"),
        ('"quoted"[1] text and ‘other’[2].', "d1 d2"),
        ("It is the table[1] of the kings, and the map[2] too.", "d1 d2"),
        ("Prices are [1] high.", "d1"),
        ("**Note**[1]: text follows", "d1"),
        ("Item one[1]\nItem two[2]", "d1 d2"),
        ("It's[1] a plan b[2] thing", "d1"),
        ("U.S.[1] and U.S[2] law", "d1 d2"),
        ("the element[1] is the lightest of all", "d1"),
        ("Messages[1] and message[2]", "d1 d2"),
        ("Data [1] is [2] stored", "d1 d2"),
        ("see sources [1,2,4].", "d1 d2 d4"),
        ("He is [1] tall.", "d1"),
        ("Refunds take 30 days [2]+[3].", "d2 d3"),
        ("Yes [1-2]!", "d1 d2"),
        ("the output[1]; and input[2]", "d1 d2"),
        ("Sales fell in the 1890s[2] and in 2020[3].", "d2 d3"),
        ("The list of values[1] is long, and the array of facts[3] too.", "d1 d3"),
        ("Key results[1]: sales rose; other results[2]: costs fell.", "d1 d2"),
        ("A set of rules [1], a range of prices [2], a scale of fees [3].", "d1 d2 d3"),
        ("Between [1] and [4] there is no conflict at all.", "d1 d4"),
        ("Notes[^1] and more[^2].\n\n[^1]: The first of the notes.\n[^2]: The second.", "d1 d2"),
    ],
)
def test_markers_beside_such_words_still_cite(answer: str, valid: str) -> None:
    got = indicate(answer, FOUR).citations
    assert (" ".join(got.valid), got.invalid) == (valid, ())


@pytest.mark.parametrize(
    "hostile", ["a[1]", "[1] ", "x[", "items[1] ", "[1, 2]", "= [", "regex [1-3] ", "and [1] ", "aName@[1]"]
)
def test_time_stays_linear(hostile: str) -> None:
    small, large = (" ".join(hostile.replace("@", str(n)) for n in range(m)) for m in (2_000, 16_000))
    indicate(small, FOUR)
    before = time.process_time()
    indicate(small, FOUR)
    once = time.process_time() - before
    before = time.process_time()
    indicate(large, FOUR)
    assert time.process_time() - before < 40 * max(once, 0.005)
