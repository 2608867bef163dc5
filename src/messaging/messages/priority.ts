// The priorities of messages in the queue of their sender, the most urgent first. Pure.

/** Authentication messages: their content is a one-time code. */
export const authenticationPriority = 0;

/** Replies and utility messages. */
export const replyPriority = 1;

/** Marketing messages. */
export const marketingPriority = 2;
