// The WhatsApp Cloud API's notices of people's marketing preferences.
import { describe, expect, it, test } from 'vitest';
import { readCallback } from '../../src/adapters/meta/callback.ts';

describe('a notice of user_preferences', () => {
  const noticed = (preferences: unknown, more: object = {}) => {
    const value = { metadata: { phone_number_id: '11' }, ...more, user_preferences: preferences };
    const body = { entry: [{ id: 'W', changes: [{ field: 'user_preferences', value }] }] };
    return readCallback(Buffer.from(JSON.stringify(body)));
  };
  const stop = {
    ...{ wa_id: '16505551234', detail: 'User requested to stop marketing messages' },
    ...{ category: 'marketing_messages', value: 'stop', timestamp: 1731705721 },
  };
  const nobodyElse = { otherPhones: [], otherUserIds: [] };

  it('says whether a person wants marketing messages, since when, and who they are', () => {
    const [report] = noticed([stop], { contacts: [{ wa_id: '16505551234', user_id: 'US.1' }] }).preferences;
    expect(report).toEqual({
      ...{ phoneNumberId: '11', businessAccountId: 'W', wantsMarketing: false, timestamp: 1731705721 },
      detail: stop.detail,
      person: { phone: '16505551234', userId: 'US.1', name: null, ...nobodyElse },
    });
    const resumed = noticed([{ ...stop, value: 'resume', timestamp: '1731705722' }]).preferences[0];
    expect(resumed).toMatchObject({ wantsMarketing: true, timestamp: 1731705722 });
    const signedUp = noticed([{ ...stop, value: 'signup', signup_id: '13176843' }]).preferences[0];
    expect(signedUp).toMatchObject({ wantsMarketing: true });
  });

  it('may name the platform’s id of the person alone', () => {
    const { wa_id: _hidden, ...hidden } = { ...stop, user_id: 'US.2', timestamp: 'soon' };
    expect(noticed([hidden]).preferences).toMatchObject([
      { person: { phone: null, userId: 'US.2' }, timestamp: null },
    ]);
  });

  test('of another category, of an unknown word or about nobody is ignored', () => {
    const { wa_id: _none, ...nobody } = stop;
    const odd = [
      { ...stop, category: 'news' },
      { ...stop, value: 'pause' },
      { ...stop, value: 'constructor' },
    ];
    expect(noticed([...odd, nobody, stop])).toMatchObject({
      ...{ preferences: [{ wantsMarketing: false }], ignored: 4 },
    });
    expect(noticed('x').preferences).toEqual([]);
  });
});
