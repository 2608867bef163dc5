// The advisory locks of running processes.

/** The first key of the locks; the second is the process's id. No other lock uses this class. */
export const lockClass = 0x63_67_77;
