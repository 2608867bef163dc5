// Packs folders into one small archive and unpacks them: tar, and Brotli with a window that sees what databases have in common.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const maxTarBytes = 2 ** 28;

/** Packs `names` of `folder` into `file` (about half a minute). */
export async function pack(folder: string, names: string[], file: string): Promise<void> {
  const args = ['-c', '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '-C', folder, ...names];
  const tar = execFileSync('tar', args, { maxBuffer: maxTarBytes });
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: 25,
    [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
    [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
  };
  await writeFile(file, brotliCompressSync(tar, { params }));
}

/** Unpacks `file` into `folder`, as files of whoever runs this. */
export async function unpack(file: string | URL, folder: string): Promise<void> {
  const params = { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 };
  const tar = brotliDecompressSync(await readFile(file), { params });
  execFileSync('tar', ['-x', '--no-same-owner', '-p', '-C', folder], { input: tar });
}
