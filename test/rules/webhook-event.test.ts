// Event bodies: their members, as ASCII without loss.
import { describe, expect, it } from 'vitest';
import { asciiJson, eventBody, messageStatusBody } from '../../src/webhooks/delivery/event.ts';
import { fc } from '../harness/property.ts';

const status = {
  messageId: 'wamid.HBgM',
  id: '019a0b5e-7c00-7000-8000-000000000001',
  sendId: '019a0b5e-7c00-7000-8000-000000000002',
  recipientPhone: '919876543210',
  timestamp: 1773151200,
  error: null,
  metadata: null,
};
const madeAt = Date.UTC(2026, 2, 10, 14, 0, 0, 120);

describe('a messages.status event', () => {
  it('has the specified members first, then our own', () => {
    expect(messageStatusBody({ ...status, status: 'delivered', metadata: { order: '7' } }, madeAt)).toBe(
      '{"event":"messages.status","timestamp":"2026-03-10T14:00:00.120Z","data":{"messageId":"wamid.HBgM",' +
        '"status":"delivered","recipientPhone":"919876543210","timestamp":1773151200,"error":null,' +
        '"id":"019a0b5e-7c00-7000-8000-000000000001","sendId":"019a0b5e-7c00-7000-8000-000000000002",' +
        '"metadata":{"order":"7"}}}',
    );
  });

  it('has an error only for the stage failed', () => {
    const error = {
      code: 131026,
      title: 'Message undeliverable',
      message: 'The recipient cannot be reached.',
    };
    const body = (name: 'failed' | 'read') =>
      JSON.parse(messageStatusBody({ ...status, status: name, error }, madeAt));
    expect(body('failed').data.error).toEqual(error);
    expect(body('read').data.error).toBeNull();
    expect(body('read').data.metadata).toEqual({});
  });
});

describe('every body', () => {
  it('is ASCII and equivalent to plain JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = asciiJson(value);
        expect(Buffer.byteLength(text, 'utf8')).toBe(text.length);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(asciiJson({ name: 'Zoë 😀' })).toBe('{"name":"Zo\\u00eb \\ud83d\\ude00"}');
  });

  it('has the form {event, timestamp, data}', () => {
    expect(JSON.parse(eventBody('appointments.booked', madeAt, { bookingId: 'b' }))).toEqual({
      event: 'appointments.booked',
      timestamp: '2026-03-10T14:00:00.120Z',
      data: { bookingId: 'b' },
    });
  });
});
