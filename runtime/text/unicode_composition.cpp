// SPDX-License-Identifier: MIT
//
// Written by tools/unicode/make_tables.py: which decompositions are composed again, by their two parts.
// clang-format off
#include "text/unicode.hpp"

namespace heed::detail {

const std::uint16_t compositions[composition_count] = {
    912, 909, 913, 0, 1, 2, 3, 53, 55, 238, 4, 572, 5, 165, 208, 210, 570, 415, 57, 417, 419, 421, 59, 61, 63, 65,
    6, 425, 67, 427, 431, 433, 429, 7, 8, 9, 598, 69, 71, 73, 10, 596, 77, 212, 214, 594, 240, 75, 439, 441, 445,
    198, 79, 447, 81, 83, 187, 85, 87, 449, 453, 236, 451, 455, 457, 11, 12, 13, 89, 91, 93, 97, 14, 610, 167, 216,
    218, 612, 95, 459, 98, 463, 189, 465, 100, 467, 102, 106, 469, 104, 475, 473, 477, 479, 481, 200, 108, 15, 483,
    112, 485, 110, 489, 487, 16, 17, 18, 19, 114, 116, 246, 20, 616, 118, 169, 220, 222, 161, 614, 191, 499, 501,
    120, 503, 124, 224, 226, 505, 122, 509, 126, 128, 511, 132, 513, 232, 130, 521, 136, 523, 234, 134, 527, 525,
    21, 22, 23, 138, 140, 142, 24, 640, 144, 146, 171, 228, 230, 163, 638, 529, 148, 533, 531, 539, 541, 543, 545,
    150, 549, 547, 551, 553, 555, 652, 25, 152, 658, 250, 557, 154, 656, 654, 155, 559, 157, 159, 561, 563, 26, 27,
    28, 29, 54, 56, 239, 30, 573, 31, 166, 209, 211, 571, 416, 58, 418, 420, 422, 60, 62, 64, 66, 32, 426, 68, 428,
    432, 434, 430, 33, 34, 35, 599, 70, 72, 74, 36, 597, 78, 213, 215, 595, 241, 76, 440, 442, 446, 199, 80, 448,
    82, 84, 188, 86, 88, 450, 454, 237, 452, 456, 458, 565, 37, 38, 39, 90, 92, 94, 40, 611, 168, 217, 219, 613, 96,
    460, 99, 197, 464, 190, 466, 101, 468, 103, 107, 470, 105, 476, 474, 478, 480, 482, 201, 109, 41, 484, 113, 486,
    111, 490, 488, 42, 43, 44, 45, 115, 117, 247, 46, 617, 119, 170, 221, 223, 162, 615, 192, 500, 502, 121, 504,
    125, 225, 227, 506, 123, 510, 127, 129, 512, 133, 514, 233, 131, 522, 566, 137, 524, 235, 135, 528, 526, 47, 48,
    49, 139, 141, 143, 50, 641, 145, 147, 172, 229, 231, 164, 639, 530, 149, 534, 532, 540, 542, 544, 546, 151, 550,
    548, 567, 552, 554, 556, 653, 51, 153, 659, 251, 558, 52, 657, 568, 655, 156, 560, 158, 160, 562, 564, 875, 258,
    835, 576, 574, 580, 578, 181, 202, 204, 185, 423, 602, 600, 606, 604, 461, 620, 618, 624, 622, 491, 244, 493,
    242, 206, 179, 175, 173, 177, 577, 575, 581, 579, 182, 203, 205, 186, 424, 603, 601, 607, 605, 462, 621, 619,
    625, 623, 492, 245, 494, 243, 207, 180, 176, 174, 178, 586, 584, 590, 588, 587, 585, 591, 589, 435, 437, 436,
    438, 495, 497, 496, 498, 515, 516, 517, 518, 535, 536, 537, 538, 569, 630, 628, 634, 632, 636, 631, 629, 635,
    633, 637, 644, 642, 648, 646, 650, 645, 643, 649, 647, 651, 195, 193, 194, 183, 184, 443, 444, 248, 249, 196,
    831, 259, 830, 829, 668, 669, 833, 841, 261, 682, 683, 843, 262, 696, 697, 845, 857, 263, 856, 855, 268, 712,
    713, 883, 264, 726, 727, 874, 872, 265, 871, 870, 269, 740, 885, 266, 752, 753, 887, 826, 838, 760, 270, 823,
    822, 660, 661, 827, 825, 762, 271, 676, 677, 764, 272, 688, 689, 839, 837, 766, 273, 850, 849, 275, 704, 705,
    853, 768, 277, 720, 721, 866, 867, 770, 278, 863, 862, 276, 732, 733, 868, 772, 279, 744, 745, 881, 879, 851,
    267, 854, 864, 274, 869, 880, 280, 281, 285, 302, 304, 284, 282, 306, 283, 300, 310, 312, 287, 314, 289, 316,
    286, 318, 324, 288, 326, 328, 330, 332, 322, 303, 305, 293, 291, 307, 292, 301, 311, 313, 296, 315, 290, 317,
    295, 319, 325, 297, 327, 329, 331, 333, 323, 294, 298, 299, 308, 309, 320, 321, 334, 335, 337, 336, 338, 340,
    341, 339, 342, 343, 344, 353, 354, 365, 364, 366, 369, 370, 372, 371, 373, 374, 377, 375, 376, 378, 379, 381,
    380, 382, 383, 385, 384, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 471, 472, 507, 508, 519,
    520, 582, 592, 583, 593, 608, 609, 626, 627, 662, 664, 666, 774, 663, 665, 667, 775, 776, 777, 778, 779, 780,
    781, 670, 672, 674, 782, 671, 673, 675, 783, 784, 785, 786, 787, 788, 789, 678, 680, 679, 681, 684, 686, 685,
    687, 690, 692, 694, 790, 691, 693, 695, 791, 792, 793, 794, 795, 796, 797, 698, 700, 702, 798, 699, 701, 703,
    799, 800, 801, 802, 803, 804, 805, 706, 708, 710, 707, 709, 711, 714, 716, 718, 715, 717, 719, 722, 724, 723,
    725, 728, 730, 729, 731, 734, 736, 738, 735, 737, 739, 741, 742, 743, 746, 748, 750, 806, 747, 749, 751, 807,
    808, 809, 810, 811, 812, 813, 754, 756, 758, 814, 755, 757, 759, 815, 816, 817, 818, 819, 820, 821, 824, 836,
    878, 828, 846, 847, 848, 840, 882, 859, 860, 861, 894, 895, 896, 897, 899, 898, 900, 901, 902, 903, 904, 905,
    906, 907, 908, 911, 910, 914, 915, 916, 917, 918, 919, 920, 921, 930, 931, 922, 923, 924, 925, 932, 933, 926,
    927, 928, 929, 934, 935, 936, 937, 966, 941, 942, 943, 944, 945, 946, 947, 948, 949, 950, 951, 952, 953, 954,
    955, 956, 957, 958, 959, 960, 961, 962, 963, 964, 965, 967, 993, 968, 969, 970, 971, 972, 973, 974, 975, 976,
    977, 978, 979, 980, 981, 982, 983, 984, 985, 986, 987, 988, 989, 990, 991, 992, 994, 995, 996, 997, 998,
};

const bool long_composes[long_split_count] = {
    false, false, false, false, false, false, false, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false,
};

}  // namespace heed::detail
