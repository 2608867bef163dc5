// The files in ops/ for systemd, nginx and containers: their own programs accept them, and they name only what exists.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { secretSettings, settings } from '../../src/base/settings.ts';
import { hasNginx, nginxFolder } from '../harness/nginx.ts';
import { root } from '../harness/program.ts';

const units = readdirSync(join(root, 'ops/systemd')).filter((name) => name.endsWith('.service'));
const unitText = (name: string) => readFileSync(join(root, 'ops/systemd', name), 'utf8');

test.each(units)('systemd accepts %s, and finds it well confined', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'units-'));
  const file = join(folder, name);
  // the package is not installed here
  writeFileSync(file, unitText(name).replace('/usr/local/bin/gateway', '/bin/true'));
  const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
  const security = ['security', '--offline=true', '--threshold=20', '--no-pager', file];
  const confined = spawnSync('systemd-analyze', security, { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  if (verified.error) return console.log('NOT TESTED: systemd-analyze is not installed');
  expect([verified.status, verified.stderr]).toEqual([0, '']);
  expect(`${confined.status} ${confined.stderr}${confined.stdout.split('\n').slice(-3)}`).toMatch(/^0 /);
});

test.each(units)('%s stops the gateway alone, with enough time, and names existing settings', (name) => {
  const text = unitText(name);
  expect(text).toMatch(/^KillMode=mixed$/m);
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(35);
  const named = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, list = '']) =>
    list.split(' ').map((one) => one.split('=')[0] ?? ''),
  );
  expect(named.filter((setting) => !(setting in settings))).toEqual([]);
  const credentials = [...text.matchAll(/LoadCredential=(\w+):/g)].map(([, setting = '']) => setting);
  expect(credentials.filter((setting) => !secretSettings.includes(setting))).toEqual([]);
});

test('nginx accepts its configuration', async () => {
  if (!hasNginx()) return console.log('NOT TESTED: nginx is not installed');
  const nginx = nginxFolder({ http: 18_080, https: 18_443, gateway: 18_081 });
  const { status, stderr } = nginx.check();
  await nginx.close();
  expect(stderr.replaceAll(/.*(?:syntax is ok|test is successful|the "user" directive)\n?.*\n?/g, '')).toBe(
    '',
  );
  expect(status).toBe(0);
});

test('the configuration for containers differs from the other only in names and paths', () => {
  const read = (name: string) =>
    readFileSync(join(root, 'ops/nginx', name), 'utf8').replace(/^(?:#.*\n)+/, '');
  const expected = read('chatbot-gateway.conf')
    .replace(/ +#?server 127\.0\.0\.1:8080.*\n +#server 127\.0\.0\.1:8081.*\n/, '    SERVERS\n')
    .replaceAll('/etc/letsencrypt/live/gateway.example.com/', '/etc/nginx/certificates/')
    .replaceAll('server_name gateway.example.com;', 'server_name _;')
    .replace('https://gateway.example.com$request_uri', 'https://$host$request_uri');
  const found = read('compose.conf').replace(/ +server api-1:.*\n +server api-2:.*\n/, '    SERVERS\n');
  expect(found).toBe(expected);
});

test('the compose file names existing settings, and secrets only as files', () => {
  const text = readFileSync(join(root, 'ops/compose.yaml'), 'utf8');
  const gateway = text.slice(text.indexOf('x-gateway'), text.indexOf('services:'));
  const named = [...gateway.matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name = '']) => name);
  const known = (name: string) =>
    name in settings || name.startsWith('AWS_') || secretSettings.some((one) => name === `${one}_FILE`);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known(name))).toEqual([]);
});
