// The stages of a send as its row has them. Pure.

/** `sends.stage` as stored. A send of POST /v1/templates/send without `sendAt` is started. */
export const sendStage = { draft: 0, scheduled: 1, started: 2 } as const;
