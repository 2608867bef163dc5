// The slots engine and wall time: clock changes, unusual offsets, midnight, invalid zones and dates.
import { describe, expect, test } from 'vitest';
import { dayOfDate } from '../../src/appointments/slots/wall-time.ts';
import { zoneName } from '../../src/base/time-zones.ts';
import { berlin, kolkata, local, newYork, slots, utc } from '../harness/slot-cases.ts';

describe('slots', () => {
  test('are right in a zone with a half-hour offset', () => {
    expect(local(kolkata)).toEqual(['09:00', '10:00', '11:00']);
    expect(utc(kolkata)).toEqual(['03:30', '04:30', '05:30']);
  });

  test('skip 02:00 when clocks go forward in New York, and no later hour', () => {
    const given = { ...newYork, date: '2026-03-08', weekly: ['00:00-06:00'] };
    expect(local(given)).toEqual(['00:00', '01:00', '03:00', '04:00', '05:00']);
    expect(utc(given)).toEqual(['05:00', '06:00', '07:00', '08:00', '09:00']);
  });

  test('begin after the gap if their window begins in it', () => {
    const given = { ...newYork, date: '2026-03-08', weekly: ['02:30-04:30'], minutes: 30 };
    expect(local(given)).toEqual(['03:00', '03:30', '04:00']);
  });

  test('contain only the earlier 01:00 when clocks go back in New York', () => {
    const given = { ...newYork, date: '2026-11-01', weekly: ['00:00-04:00'] };
    expect(local(given)).toEqual(['00:00', '01:00', '02:00', '03:00']);
    expect(utc(given)).toEqual(['04:00', '05:00', '07:00', '08:00']);
  });

  test('contain both 01:00 of New York if requested in UTC', () => {
    const given = { ...newYork, date: '2026-11-01', weekly: ['00:00-04:00'], requestedZone: 'UTC' };
    expect(local(given)).toEqual(['04:00', '05:00', '06:00', '07:00', '08:00']);
  });

  test('skip 02:00 when clocks go forward in Berlin', () => {
    const given = { ...berlin, date: '2026-03-29', weekly: ['01:00-04:00'] };
    expect(local(given)).toEqual(['01:00', '03:00']);
    expect(utc(given)).toEqual(['00:00', '01:00']);
  });

  test('skip half an hour on Lord Howe Island', () => {
    const given = {
      ...berlin,
      zone: 'Australia/Lord_Howe',
      date: '2026-10-04',
      weekly: ['01:00-04:00'],
      minutes: 30,
    };
    expect(local(given)).toEqual(['01:00', '01:30', '02:30', '03:00', '03:30']);
  });

  test('skip midnight in Santiago', () => {
    const given = { ...berlin, zone: 'America/Santiago', date: '2026-09-06', weekly: ['00:00-03:00'] };
    expect(local(given)).toEqual(['01:00', '02:00']);
  });

  test('are right in a zone with a 45-minute offset', () => {
    const given = {
      ...berlin,
      zone: 'Asia/Kathmandu',
      date: '2026-06-10',
      weekly: ['09:00-11:00'],
      minutes: 30,
    };
    expect(local(given)).toEqual(['09:00', '09:30', '10:00', '10:30']);
    expect(utc(given)).toEqual(['03:15', '03:45', '04:15', '04:45']);
  });

  test('end at 00:00 when they end at midnight', () => {
    expect(slots({ ...berlin, weekly: ['22:00-24:00'] }).map(({ to }) => to)).toEqual(['23:00', '00:00']);
  });
});

test('zoneName accepts IANA names in any case, and nothing else', () => {
  expect(zoneName('europe/berlin')).toBe('Europe/Berlin');
  expect(zoneName('+05:30')).toBeUndefined();
  expect(zoneName('Mars/Olympus')).toBeUndefined();
});

test('dayOfDate returns undefined for an invalid date', () => {
  expect(dayOfDate('2026-02-30')).toBeUndefined();
  expect(dayOfDate('2026-2-3')).toBeUndefined();
  expect(dayOfDate('2028-02-29')).toBe(21_243);
});
