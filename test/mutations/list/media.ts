// Mutations of uploads.
import type { Mutation } from '../mutation.ts';

const same = 'src/messaging/media/duplicates.ts';
const sameStore = 'src/messaging/media/duplicates-store.ts';
const remove = 'src/messaging/media/remove.ts';
const repeats = ['test/api/media-duplicates.test.ts'];
const message = 'src/base/encrypted-message.ts';
const files = ['test/rules/file-encryption.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the response of an upload is not stored under its Idempotency-Key',
    file: same,
    find: 'await recordKeyResponse(tx, subjectId, { status: 200, body: uploadBody(row) });',
    replace: '',
    tests: repeats,
  },
  {
    name: 'an upload does not compare its file with that of a faster upload with the same key',
    file: same,
    find: 'await lookUpKey(tx, { ...key, isSameBody,',
    replace: 'await lookUpKey(tx, { ...key, isSameBody: () => true,',
    tests: repeats,
  },
  {
    name: 'a repeated upload is answered without a check of its file',
    file: same,
    find: '.isSameBody(answered.fingerprint)',
    replace: '.isSameBody(answered.fingerprint) && false',
    tests: repeats,
  },
  {
    name: 'the fingerprint of an upload leaves out its bytes',
    file: same,
    find: "sha256: file.sha256.toString('hex'),",
    replace: '',
    tests: repeats,
  },
  {
    name: 'the fingerprint of an upload leaves out its file name',
    file: same,
    find: 'fileName: file.fileName,\n    declaredType',
    replace: 'declaredType',
    tests: repeats,
  },
  {
    name: 'an upload reads its file although the first one with its key is being registered',
    file: same,
    find: 'if (row.leased) throw inProgress();',
    replace: '',
    tests: repeats,
  },
  {
    name: 'an upload that continues an interrupted one stores no response',
    file: same,
    find: 'await rebindKey(tx, key, subjectId);',
    replace: '',
    tests: repeats,
  },
  {
    name: 'two concurrent uploads of one file both become visible',
    file: same,
    find: '  await lockFileIdentity(tx, file);\n',
    replace: '',
    tests: repeats,
  },
  {
    name: 'an upload does not check for a faster upload of the same file',
    file: same,
    find: 'return duplicate && lockFileShared(tx, duplicate.id);',
    replace: 'return undefined;',
    tests: repeats,
  },
  {
    name: 'an altered file counts as the same file',
    file: same,
    find: 'same?.isIntact ?',
    replace: 'same ?',
    tests: repeats,
  },
  {
    name: 'a file of any age counts as the same file',
    file: sameStore,
    find: "created_at > now() - interval '1 day' and ",
    replace: '',
    tests: repeats,
  },
  {
    name: 'a file with another name counts as the same file',
    file: sameStore,
    find: 'file_name = ${file.fileName} and ',
    replace: '',
    tests: repeats,
  },
  {
    name: 'a file of another type counts as the same file',
    file: sameStore,
    find: ' and mime_type = ${file.mimeType}',
    replace: '',
    tests: repeats,
  },
  {
    name: 'a file for another sender counts as the same file',
    file: sameStore,
    find: 'and named_sender_id is not distinct from ${file.senderId?.toLowerCase() ?? null}::uuid',
    replace: '',
    tests: repeats,
  },
  {
    name: 'a removed upload keeps its key',
    file: remove,
    find: '    await freeKeysOf(deps.db, row.id);\n  } catch',
    replace: '  } catch',
    tests: repeats,
  },
  {
    name: 'an interrupted upload keeps its key',
    file: remove,
    find: '  await freeKeysOf(deps.db, row.id);\n  await removeEverything',
    replace: '  await removeEverything',
    tests: repeats,
  },
  {
    name: 'unfinished puts of interrupted uploads stay in the store',
    file: remove,
    find: 'await deps.objects.abandon(row.object_key)',
    replace: 'await Promise.resolve()',
    tests: repeats,
  },
  {
    name: 'an interrupted upload is checked again only after an hour',
    file: remove,
    find: 'const secondCheckSeconds = 300;',
    replace: 'const secondCheckSeconds = 3_600;',
    tests: repeats,
  },
  {
    name: 'abandoning a key aborts the parts of keys that begin with it',
    file: 'src/adapters/s3/object-store.ts',
    find: '(upload) => upload.Key === at.Key',
    replace: '() => true',
    tests: ['test/ports/s3.test.ts'],
  },
  {
    name: 'a rejected form is parsed to its end',
    file: 'src/messaging/media/upload-routes.ts',
    find: '  raw.unpipe();\n',
    replace: '',
    tests: ['test/api/media-rejections.test.ts'],
  },
  {
    name: 'bytes of a stored file are returned before their frame is authenticated',
    file: message,
    find: '      decipher.final();\n',
    replace: '',
    tests: files,
  },
  {
    name: 'frames of a stored file may be in any order',
    file: message,
    find: 'if (frame.sequenceNumber !== number) throw altered();',
    replace: '',
    tests: files,
  },
  {
    name: 'bytes after the last frame of a stored file are ignored',
    file: message,
    find: 'if (await reader.fill(1)) throw altered();',
    replace: '',
    tests: files,
  },
  {
    name: 'a stored file may have frames of any length',
    file: message,
    find: 'if (!isOurs || length > maxFrameLength) throw altered();',
    replace: 'if (!isOurs) throw altered();',
    tests: files,
  },
  {
    name: 'a stored file is decrypted for any owner',
    file: message,
    find: '    checkContext(encryptionContext);\n',
    replace: '',
    tests: files,
  },
  {
    name: 'a partial write of a file counts as complete',
    file: 'src/adapters/filesystem/object-store.ts',
    find: 'for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;',
    replace: 'await file.write(chunk);',
    tests: ['test/ports/filesystem.test.ts'],
  },
];
