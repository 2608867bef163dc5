// What an erasure leaves of stored texts.
import { describe, expect, it } from 'vitest';
import { eraseFromJson } from '../../src/erasure/subject.ts';

const subject = { phones: ['15551234567'], userIds: ['US.1'], emails: ['ada@example.com'] };
const erased = (value: unknown) => JSON.parse(eraseFromJson(JSON.stringify(value), subject));

describe('a stored text about an erased person', () => {
  it('keeps its form: texts, lists and objects become empty, and null stays', () => {
    const booking = {
      ...{ bookingId: 'b', phoneNumber: '15551234567', name: null, metadata: { note: 'x' } },
      staticQuestionAnswers: [{ question: 'Why?', answer: 'Because.' }],
    };
    expect(erased({ data: booking })).toEqual({
      data: { ...booking, phoneNumber: '', metadata: {}, staticQuestionAnswers: [] },
    });
  });

  it('keeps what is about others beside the person', () => {
    const other = { recipientPhone: '15557654321', name: 'Bob' };
    const messages = [{ recipientPhone: '15551234567', name: 'Ada', status: 'accepted' }, other];
    expect(erased({ messages })).toEqual({
      messages: [{ recipientPhone: '', name: '', status: 'accepted' }, other],
    });
  });

  it('knows an address in whatever case', () => {
    expect(erased({ email: 'Ada@Example.com', name: 'Ada' })).toEqual({ email: '', name: '' });
  });

  it('is empty if it is no JSON', () => {
    expect(eraseFromJson('Ada, 15551234567', subject)).toBe('');
  });
});
