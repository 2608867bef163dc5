// How the dashboard is built: into dashboard/dist, with hashed names, compressed twins, and a nonce that the gateway replaces.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { messagesPlugin } from './messages-plugin.ts';

/** What `src/http/dashboard-page.ts` replaces by the nonce of the response. */
const noncePlaceholder = '__NONCE__';

/** Messages as phones show them. */
const ofPhones = /design.(bubble|carousel|phone-preview|offer-note)/;

/** Writes `.br` and `.gz` beside each file that shrinks: the gateway compresses nothing while it serves. */
function compressedTwins(): Plugin {
  return {
    name: 'compressed-twins',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((file) => /\.(js|css|svg)$/.test(file))) {
        const file = join(dir, name);
        const bytes = readFileSync(file);
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
        const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, brotli));
      }
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), messagesPlugin(join(import.meta.dirname, 'languages')), compressedTwins()],
  html: { cspNonce: noncePlaceholder },
  build: {
    outDir: 'dist',
    target: 'es2023',
    manifest: true,
    // as files: the policy forbids data: in fonts
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          groups: [
            // what every page needs in one file: on a slow line a request costs more than ten kilobytes
            { name: 'start', tags: ['$initial'], priority: 2 },
            // what several pages share, in one file too; phones apart, since the first page shows none
            {
              ...{ name: 'shared', minShareCount: 3, priority: 1 },
              test: (id) => /dashboard.src.(design|text|api)|@tabler/.test(id) && !ofPhones.test(id),
            },
            { name: 'phone', test: ofPhones },
          ],
        },
      },
    },
  },
});
