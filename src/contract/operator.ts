// What operators see, on the wire.
import { Type } from 'typebox';
import { instant, nullable } from './envelope.ts';

const finding = Type.Object(
  {
    check: Type.String({ description: 'What was checked.' }),
    status: Type.Union([Type.Literal('ok'), Type.Literal('note'), Type.Literal('failed')], {
      description: '`note`: somebody should look at it; `failed`: something does not work.',
    }),
    text: Type.String({ description: 'What was found.' }),
    fix: nullable(Type.String({ description: 'What to do.' })),
  },
  { description: 'One finding of `doctor`.' },
);

const disk = Type.Object(
  {
    use: Type.String({ description: '`data`, `objects` or `backups`.' }),
    path: Type.String({ description: 'The folder.' }),
    freeBytes: Type.Number({ description: 'Space left for the gateway.' }),
    totalBytes: Type.Number({ description: 'Size of the disk.' }),
  },
  { description: 'The disk of a folder on the machine that answered.' },
);

/** `data` of GET /v1/operator/health. */
export const OperatorHealth = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether nothing failed.' }),
    checkedAt: instant('When the checks were made; they are repeated after 10 seconds at the earliest.'),
    version: Type.String({ description: "The program's version." }),
    findings: Type.Array(finding, { description: 'In the order of `doctor`.' }),
    backups: Type.Object(
      {
        scheduled: Type.Boolean({ description: 'Whether a worker makes backups (`BACKUP_TO`).' }),
        everyHours: Type.Integer({ description: 'Hours between two of them.' }),
        lastGoodAt: nullable(instant('The moment that the last good backup shows.')),
        lastGoodBytes: nullable(Type.Number({ description: 'Its size.' })),
        lastGoodSeconds: nullable(Type.Number({ description: 'How long it took.' })),
        failures: Type.Integer({ description: 'Failed ones since.' }),
        lastFailure: nullable(Type.String({ description: 'Why the last one failed.' })),
      },
      { description: 'How backups are doing.' },
    ),
    disks: Type.Array(disk, { description: 'The disks of the machine that answered.' }),
  },
  {
    title: 'OperatorHealth',
    description: 'What `doctor` finds, backups and disks.',
    examples: [
      {
        ok: true,
        checkedAt: '2026-11-22T18:00:00.000Z',
        version: '1.0.0',
        findings: [{ check: 'database', status: 'ok', text: 'reachable and migrated', fix: null }],
        backups: {
          scheduled: true,
          everyHours: 24,
          lastGoodAt: '2026-11-22T03:00:00.000Z',
          lastGoodBytes: 41_209_856,
          lastGoodSeconds: 12.4,
          failures: 0,
          lastFailure: null,
        },
        disks: [
          {
            use: 'data',
            path: '/opt/chatbot-gateway/data',
            freeBytes: 51_539_607_552,
            totalBytes: 107_374_182_400,
          },
        ],
      },
    ],
  },
);
