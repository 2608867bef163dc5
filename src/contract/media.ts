// Uploaded files on the wire.
import { Type } from 'typebox';
import { cursorProperties, Instant } from './envelope.ts';

export const MediaItem = Type.Object(
  {
    mediaId: Type.String({ description: "The platform's id of the file; use it in sends." }),
    kind: Type.Enum(['image', 'video', 'document']),
    fileName: Type.String(),
    mimeType: Type.String(),
    size: Type.Integer({ description: 'Bytes.' }),
    sha256: Type.String({ description: 'Of the file as it was uploaded, 64 hex digits.' }),
    createdAt: Instant,
  },
  {
    examples: [
      {
        mediaId: '1037543291543636',
        kind: 'document',
        fileName: 'offer.pdf',
        mimeType: 'application/pdf',
        size: 48213,
        sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
        createdAt: '2026-03-10T14:00:00.000Z',
      },
    ],
  },
);

const senderId = Type.String({
  maxLength: 64,
  description:
    'The number that registers the file with the platform; while it is away, another one of the account does. Default: the default number.',
});

export const UploadQuery = Type.Object(
  { senderId: Type.Optional(senderId) },
  { additionalProperties: false },
);

export const UploadForm = Type.Object(
  {
    senderId: Type.Optional(
      Type.String({ ...senderId, description: 'As the query parameter; must come before the file.' }),
    ),
    file: Type.String({ format: 'binary', description: 'The file, with its name and its Content-Type.' }),
  },
  { additionalProperties: false },
);

export const ListMediaQuery = Type.Object(cursorProperties, { additionalProperties: false });
export const MediaParams = Type.Object({ mediaId: Type.String() }, { additionalProperties: false });
export const NoQuery = Type.Object({}, { additionalProperties: false });
