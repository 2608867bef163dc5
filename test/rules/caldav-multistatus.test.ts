// Multi-status responses of CalDAV servers: namespaces, text, and rejected documents.
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

test('reads resources with any namespace prefix, and only properties with status 200', () => {
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

test('joins plain text, references and CDATA', () => {
  expect(textOf(parseXml('<a>BEGIN:&#13;\n<![CDATA[<b> & c]]>&lt;</a>'))).toBe('BEGIN:\r\n<b> & c<');
});

test('reads forbidden characters as spaces, also where they are references', () => {
  const text =
    '<a>x\u0000\u000b\u001f\ufffe\u0085&#7;&#x1F;&#xFFFF;&#x110000;\t\n&#10;&amp;#7;\u{1f600}y</a>';
  expect(textOf(parseXml(text))).toBe('x    \u0085    \t\n\n&#7;\u{1f600}y');
});

test.each([
  ['an HTML page', '<html><body>Welcome</body></html>'],
  ['a truncated document', '<multistatus xmlns="DAV:"><response>'],
  ['an empty body', ''],
  ['another namespace', '<multistatus xmlns="other"/>'],
  ['declared entities', '<!DOCTYPE a [<!ENTITY b "c">]><multistatus xmlns="DAV:">&b;</multistatus>'],
  ['a forbidden character in a truncated document', '<multistatus xmlns="DAV:">\u0007<response>'],
  ['extreme nesting', `<multistatus xmlns="DAV:">${'<a>'.repeat(100_000)}`],
])('rejects %s', (_what, text) => {
  expect(() => read(text)).toThrow();
});
