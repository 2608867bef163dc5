// Multi-status answers as servers write them, each with prefixes of its own; what is no such answer, or hostile, is refused.
import { expect, test } from 'vitest';
import {
  caldav,
  containsElement,
  names,
  parseMultistatus,
  parseXml,
  textOf,
} from '../../src/adapters/caldav/multistatus.ts';

const read = (text: string) => parseMultistatus(text, 'https://dav.example/home/');

test('resources are read whatever prefixes stand before the names, with those properties alone that were found', () => {
  const { resources, syncToken } = read(`<?xml version="1.0"?>
    <x:multistatus xmlns:x="DAV:" xmlns:y="urn:ietf:params:xml:ns:caldav">
      <x:response><x:href>/home/a%40b/</x:href>
        <x:propstat><x:prop><x:resourcetype><x:collection/><y:calendar/></x:resourcetype></x:prop><x:status>HTTP/1.1 200 OK</x:status></x:propstat>
        <x:propstat><x:prop><x:getetag>none</x:getetag></x:prop><x:status>HTTP/1.1 404 Not Found</x:status></x:propstat>
      </x:response>
      <x:response><x:href>gone.ics</x:href><x:status>HTTP/1.1 404 Not Found</x:status></x:response>
      <x:sync-token>t&amp;1</x:sync-token>
    </x:multistatus>`);
  expect(resources.map(({ url, status }) => [url, status])).toEqual([
    ['https://dav.example/home/a%40b/', null],
    ['https://dav.example/home/gone.ics', 404],
  ]);
  expect(containsElement(resources[0]?.props.get(names.type), caldav, 'calendar')).toBe(true);
  expect(resources[0]?.props.has(names.etag)).toBe(false);
  expect(syncToken).toBe('t&1');
});

test('text is one, whether it is written plainly, with references, or as CDATA', () => {
  expect(textOf(parseXml('<a>BEGIN:&#13;\n<![CDATA[<b> & c]]>&lt;</a>'))).toBe('BEGIN:\r\n<b> & c<');
});

test.each([
  ['an HTML page', '<html><body>Welcome</body></html>'],
  ['half of it', '<multistatus xmlns="DAV:"><response>'],
  ['nothing', ''],
  ['another namespace', '<multistatus xmlns="other"/>'],
  ['entities of its own', '<!DOCTYPE a [<!ENTITY b "c">]><multistatus xmlns="DAV:">&b;</multistatus>'],
  ['endless depth', `<multistatus xmlns="DAV:">${'<a>'.repeat(100_000)}`],
])('refused: %s', (_what, text) => {
  expect(() => read(text)).toThrow();
});
