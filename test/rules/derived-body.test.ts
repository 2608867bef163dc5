// Bodies that deliveries do not store: the frozen bytes of each form.
import { describe, expect, it } from 'vitest';
import { bodyOf } from '../../src/webhooks/delivery/derived-body.ts';

const row = {
  body: null,
  madeMs: Date.UTC(2026, 2, 10, 14, 0, 0, 120),
  stage: 4,
  subjectId: '019a0b5e-7c00-7000-8000-000000000001',
  wamid: 'wamid.HBgM',
  phone: '919876543210',
  sendId: '019a0b5e-7c00-7000-8000-000000000002',
  metadata: { b: 'ü', a: '1' },
  reachedAt: 1_773_151_200,
};

describe('a body that is not stored', () => {
  // rows of this form exist: these bytes never change, whatever becomes of the event
  it.each([
    [3, 'sent'],
    [4, 'delivered'],
    [5, 'read'],
  ])('has the same bytes for ever at stage %i', (stage, name) => {
    expect(bodyOf({ ...row, stage })).toBe(
      `{"event":"messages.status","timestamp":"2026-03-10T14:00:00.120Z","data":{"messageId":"wamid.HBgM","status":"${name}",` +
        '"recipientPhone":"919876543210","timestamp":1773151200,"error":null,"id":"019a0b5e-7c00-7000-8000-000000000001",' +
        '"sendId":"019a0b5e-7c00-7000-8000-000000000002","metadata":{"b":"\\u00fc","a":"1"}}}',
    );
  });

  it('has empty metadata if its message has none', () => {
    expect(JSON.parse(bodyOf({ ...row, metadata: null }) ?? '').data.metadata).toEqual({});
  });

  it.each(['madeMs', 'wamid', 'phone', 'sendId', 'reachedAt'] as const)('is unknown without %s', (name) => {
    expect(bodyOf({ ...row, [name]: null })).toBeUndefined();
  });

  it('yields to a stored body', () => {
    expect(bodyOf({ ...row, body: '{}' })).toBe('{}');
  });
});
