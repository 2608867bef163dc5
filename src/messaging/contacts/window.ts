// How long a person can be answered without a template. Pure.

/** After their last message, in milliseconds. */
export const windowMs = 24 * 3_600_000;
