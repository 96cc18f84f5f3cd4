package recall

// PlaceCompaction is the section of what a summary left out.
const PlaceCompaction = "compaction"
