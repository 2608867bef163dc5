// The operations of senders and API keys.
import type { Operation } from './operation.ts';

const senders = { tag: 'Senders' };
const keys = { tag: 'Keys' };
const provider = ['provider_rejected', 'provider_unavailable'] as const;

export const accountOperations: Record<string, Operation> = {
  'GET /v1/senders': {
    ...senders,
    id: 'listSenders',
    summary: 'List senders',
    description: 'The messaging numbers of the account, and why a number is halted.',
    message: 'Senders listed.',
  },
  'POST /v1/senders': {
    ...senders,
    id: 'createSender',
    summary: 'Connect a number',
    description:
      'The gateway verifies the token, its permissions, the app secret, the number and the business account with the platform before it stores the sender. Then it registers the number if you give a `pin`, subscribes the app, and waits for the handshake of the platform. What fails after the sender is stored is reported in `checks`, with what to do.',
    errors: ['sender_exists', ...provider],
    message: 'Sender added. Its templates are being read.',
  },
  'GET /v1/senders/{id}/checks': {
    ...senders,
    id: 'getSenderChecks',
    summary: 'Get the checks of a sender',
    description: 'The results of the last run. The gateway checks each sender every hour.',
    errors: ['sender_not_found'],
    message: 'Checks found.',
  },
  'POST /v1/senders/{id}/checks': {
    ...senders,
    id: 'runSenderChecks',
    summary: 'Check a sender now',
    errors: ['sender_not_found'],
    message: 'Sender checked.',
  },
  'POST /v1/senders/{id}/subscribe': {
    ...senders,
    id: 'subscribeSender',
    summary: 'Subscribe to the callbacks of a number again',
    description:
      'Subscribes the app to the business account and enters the callback address at the platform.',
    errors: ['sender_not_found'],
    message: 'Subscribed.',
  },
  'PATCH /v1/senders/{id}': {
    ...senders,
    id: 'updateSender',
    summary: 'Update a sender',
    description: 'Verifies a new token with the platform, then resumes a halted sender.',
    errors: ['sender_not_found', ...provider],
    message: 'Sender changed.',
  },
  'DELETE /v1/senders/{id}': {
    ...senders,
    id: 'deleteSender',
    summary: 'Delete a sender',
    description: 'Returns 409 `sender_in_use` while messages of the sender are queued.',
    errors: ['sender_not_found', 'sender_in_use'],
    message: 'Sender removed.',
  },
  'GET /v1/keys': {
    ...keys,
    id: 'listKeys',
    summary: 'List API keys',
    message: 'API keys listed.',
  },
  'POST /v1/keys': {
    ...keys,
    id: 'createKey',
    summary: 'Create an API key',
    description:
      'The new key cannot have a scope that the calling key lacks, nor expire later: that returns 403 `forbidden`. The command `key create` has no such limit.',
    errors: ['key_limit_reached'],
    message: 'API key created. It is shown only once.',
  },
  'POST /v1/keys/{id}/rotate': {
    ...keys,
    id: 'rotateKey',
    summary: 'Rotate an API key',
    description:
      'Returns a new key with the same scopes and expiry. The old key works for `overlapSeconds` more, and cannot be rotated again: 409 `rotation_in_progress`. A key with scopes that the calling key lacks, or that expires later, cannot be rotated: 403 `forbidden`.',
    errors: ['key_not_found', 'key_limit_reached', 'rotation_in_progress'],
    message: 'API key rotated. The new one is shown only once.',
  },
  'DELETE /v1/keys/{id}': {
    ...keys,
    id: 'revokeKey',
    summary: 'Revoke an API key',
    errors: ['key_not_found', 'last_manage_key'],
    message: 'API key revoked.',
  },
};
