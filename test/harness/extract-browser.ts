// Extracts the registry's Chromium, with the libraries that a bare machine lacks, into the folder for temporary files.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate } from '@sparticuz/chromium';

const packageFolder = fileURLToPath(new URL('../', import.meta.resolve('@sparticuz/chromium')));

await chromium.executablePath();
await inflate(join(packageFolder, 'bin', 'al2023.tar.br'));
