// A real nginx with the configuration of ops/nginx, on free ports, with a certificate of its own.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './program.ts';

export const hasNginx = () => spawnSync('nginx', ['-v']).error === undefined;

interface Ports {
  http: number;
  https: number;
  /** Of the process that is named; with the containers' configuration, of api-1. */
  gateway: number;
  /** Of api-2, with the containers' configuration. */
  second?: number;
}

/** Replaces what the operator replaces: ports, the processes' addresses and the certificate's paths. */
function filledIn(folder: string, ports: Ports): string {
  const name = ports.second === undefined ? 'chatbot-gateway.conf' : 'compose.conf';
  const text = readFileSync(join(root, 'ops/nginx', name), 'utf8');
  return text
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${ports.http};`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${ports.https} ssl`)
    .replace('server 127.0.0.1:8080', `server 127.0.0.1:${ports.gateway}`)
    .replace('server api-1:8080', `server 127.0.0.1:${ports.gateway}`)
    .replace('server api-2:8080', `server 127.0.0.1:${ports.second}`)
    .replaceAll('/etc/nginx/certificates', folder)
    .replaceAll('/etc/letsencrypt/live/gateway.example.com', folder);
}

/** Writes a whole configuration around a file of ops/nginx to a new folder. */
export function nginxFolder(ports: Ports) {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-test-'));
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...[
        '-subj',
        '/CN=gateway.example.com',
        '-addext',
        `subjectAltName=DNS:gateway.example.com,DNS:localhost,DNS:${hostname()}`,
      ],
      ...['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')],
    ],
    { stdio: 'ignore' },
  );
  writeFileSync(join(folder, 'site.conf'), filledIn(folder, ports));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; worker_processes 1; error_log stderr warn; events {}
     http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; }`,
  );
  const args = ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', 'stderr'];
  let child: ChildProcess | undefined;
  return {
    folder,
    certificate: join(folder, 'fullchain.pem'),
    /** The output of `nginx -t`. */
    check: () => spawnSync('nginx', ['-t', ...args], { encoding: 'utf8' }),
    start() {
      child = spawn('nginx', args, { stdio: 'ignore' });
    },
    async close() {
      if (child) {
        const ended = new Promise((resolve) => child?.once('exit', resolve));
        child.kill('SIGTERM');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
