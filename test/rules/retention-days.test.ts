// How long what has ended is kept: the settings, an account's own days, and the week after an announcement.
import { describe, expect, it } from 'vitest';
import { effectiveDays, noDays } from '../../src/base/retention-days.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { retentionFinding } from '../../src/operator/retention-finding.ts';
import { beginsAt, cutoffsOf, earliest } from '../../src/retention/cutoffs.ts';

const day = 86_400_000;
const now = new Date('2026-03-10T12:00:00Z');
const ago = (days: number) => new Date(now.getTime() - days * day);

describe('the settings', () => {
  it('keep messages and bookings for ever, received messages 30, deliveries 90, the audit log 400 days by default', () => {
    expect(readConfig({}).retentionDays).toEqual({
      ...{ messages: null, received: 30, deliveries: 90, bookings: null, audit: 400 },
    });
    expect(readConfig({ RETENTION_DAYS_RECEIVED: '' }).retentionDays.received).toBe(null);
    expect(readConfig({ RETENTION_DAYS_MESSAGES: ' 31 ' }).retentionDays.messages).toBe(31);
  });

  it.each([
    ['RETENTION_DAYS_MESSAGES', '30', 'from 31 to 36500'],
    ['RETENTION_DAYS_RECEIVED', '7', 'from 8 to 36500'],
    ['RETENTION_DAYS_DELIVERIES', '4', 'from 5 to 36500'],
    ['RETENTION_DAYS_BOOKINGS', '0', 'from 1 to 36500'],
    ['RETENTION_DAYS_AUDIT', '89', 'from 90 to 36500'],
    ['RETENTION_DAYS_AUDIT', 'a year', 'from 90 to 36500'],
    ['RETENTION_DAYS_BOOKINGS', '1.5', 'from 1 to 36500'],
    ['RETENTION_DAYS_BOOKINGS', '0x10', 'from 1 to 36500'],
  ])('reject %s=%s with what is allowed', (name, value, allowed) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(
      `${name} must be a whole number of days ${allowed}, or empty to keep for ever, not "${value}".`,
    );
  });
});

describe('the days of an account', () => {
  it('are its own where they are fewer, and those of deliveries are at most those of messages', () => {
    const gateway = { ...noDays, messages: 60, received: 30, deliveries: 90 };
    expect(effectiveDays(gateway, noDays)).toEqual({ ...gateway, deliveries: 60 });
    expect(effectiveDays(gateway, { ...noDays, messages: 40, received: 50, bookings: 2 })).toEqual({
      ...{ messages: 40, received: 30, deliveries: 40, bookings: 2, audit: null },
    });
  });

  it('decide about a partition by the account that keeps it longest', () => {
    const of = (messages: Date | null) => ({
      messages,
      received: null,
      deliveries: null,
      bookings: null,
      audit: null,
    });
    expect(earliest([of(ago(40)), of(ago(60)), of(ago(50))], 'messages')).toEqual(ago(60));
    expect(earliest([of(ago(40)), of(null)], 'messages')).toBe(null);
    expect(earliest([], 'messages')).toBe(null);
  });
});

describe('a removal', () => {
  const gateway = { ...noDays, messages: 40 };
  const told = (days: number | null, announcedAt: Date, firstAnnouncedAt = announcedAt) => ({
    messages: { days, announcedAt, firstAnnouncedAt },
  });
  const cutoff = (announced: Parameters<typeof beginsAt>[1]['announced'], own = noDays) =>
    cutoffsOf({ gateway, own, announced }, now).messages;

  it('does not begin before it was announced, nor within seven days', () => {
    expect(cutoff({})).toBe(null);
    expect(cutoff(told(40, ago(6.99)))).toBe(null);
    expect(cutoff(told(40, ago(7)))).toEqual(ago(40));
    // another process announced other days
    expect(cutoff(told(90, ago(30)))).toBe(null);
  });

  it('of days that an account set itself begins a week after the first announcement of any', () => {
    const own = { ...noDays, messages: 35 };
    expect(cutoff(told(null, ago(6)), own)).toBe(null);
    expect(cutoff(told(40, ago(1), ago(8)), own)).toEqual(ago(35));
    expect(beginsAt('messages', { gateway, own, announced: told(40, ago(1), ago(5)) }, now)).toEqual(ago(-2));
    expect(beginsAt('messages', { gateway, own, announced: told(40, ago(1), ago(8)) }, now)).toBe(null);
    expect(beginsAt('messages', { gateway, own: noDays, announced: told(40, ago(1), ago(8)) }, now)).toEqual(
      ago(-6),
    );
  });

  it('that lies ahead is what "doctor" says first', () => {
    expect(retentionFinding(gateway, told(40, ago(1)), now)).toMatchObject({
      status: 'note',
      text: 'messages older than 40 days are removed from 2026-03-16T12:00:00.000Z on, unless you set RETENTION_DAYS_MESSAGES',
    });
    expect(retentionFinding(gateway, told(40, ago(8)), now)).toMatchObject({
      status: 'ok',
      text: 'kept: messages 40 days, received messages for ever, webhook deliveries for ever, bookings for ever, entries of the audit log for ever',
    });
  });
});
