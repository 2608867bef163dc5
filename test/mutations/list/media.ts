// Mutations of uploads.
import type { Mutation } from '../mutation.ts';

const same = 'src/messaging/media/duplicates.ts';
const sameStore = 'src/messaging/media/duplicates-store.ts';
const remove = 'src/messaging/media/remove.ts';
const repeats = ['test/api/media-duplicates.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the response of an upload is not stored under its Idempotency-Key',
    file: same,
    find: 'await storeKeyAnswer(tx, subjectId, { status: 200, body: uploadBody(row) });',
    replace: '',
    tests: repeats,
  },
  {
    name: 'an upload does not compare its file with that of an upload that was quicker under its key',
    file: same,
    find: 'await consultKey(tx, { ...key, isSameBody,',
    replace: 'await consultKey(tx, { ...key, isSameBody: () => true,',
    tests: repeats,
  },
  {
    name: 'a repeated upload is answered without a look at its file',
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
    name: 'an upload reads its file although the first one under its key is being registered',
    file: same,
    find: 'if (row.leased) throw inProgress();',
    replace: '',
    tests: repeats,
  },
  {
    name: 'an upload that continues a dead one stores no response under its key',
    file: same,
    find: 'await rebindKey(tx, key, subjectId);',
    replace: '',
    tests: repeats,
  },
  {
    name: 'two uploads of one file at the same time become visible together',
    file: same,
    find: '  await lockFileIdentity(tx, file);\n',
    replace: '',
    tests: repeats,
  },
  {
    name: 'an upload does not look for a twin that was quicker',
    file: same,
    find: 'return twin && lockFileShared(tx, twin.id);',
    replace: 'return undefined;',
    tests: repeats,
  },
  {
    name: 'an altered file is returned as the same',
    file: same,
    find: 'same?.isIntact ?',
    replace: 'same ?',
    tests: repeats,
  },
  {
    name: 'a file of any age is the same',
    file: sameStore,
    find: "created_at > now() - interval '1 day' and ",
    replace: '',
    tests: repeats,
  },
  {
    name: 'a file under another name is the same',
    file: sameStore,
    find: 'file_name = ${file.fileName} and ',
    replace: '',
    tests: repeats,
  },
  {
    name: 'a file of another type is the same',
    file: sameStore,
    find: ' and mime_type = ${file.mimeType}',
    replace: '',
    tests: repeats,
  },
  {
    name: 'a file for another number is the same',
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
    name: 'a died upload keeps its key',
    file: remove,
    find: '  await freeKeysOf(deps.db, row.id);\n  await removeEverything',
    replace: '  await removeEverything',
    tests: repeats,
  },
  {
    name: 'unfinished puts of died uploads stay in the store',
    file: remove,
    find: 'await deps.objects.abandon(row.object_key)',
    replace: 'await Promise.resolve()',
    tests: repeats,
  },
  {
    name: 'a died upload is checked again after an hour',
    file: remove,
    find: 'const secondCheckSeconds = 300;',
    replace: 'const secondCheckSeconds = 3_600;',
    tests: repeats,
  },
  {
    name: 'abandoning a key aborts the parts of keys that begin like it',
    file: 'src/adapters/s3/object-store.ts',
    find: '(upload) => upload.Key === at.Key',
    replace: '() => true',
    tests: ['test/ports/s3.test.ts'],
  },
  {
    name: 'a refused form is parsed to its end',
    file: 'src/messaging/media/upload-routes.ts',
    find: '  raw.unpipe();\n',
    replace: '',
    tests: ['test/api/media-rejections.test.ts'],
  },
];
