// Uploaded files on the wire.
import { Type } from 'typebox';
import { cursorProperties, instant } from './envelope.ts';

export const MediaItem = Type.Object(
  {
    mediaId: Type.String({ description: "The platform's id of the file; use it in sends." }),
    kind: Type.Enum(['image', 'video', 'document'], {
      description: 'The kind of header that takes the file.',
    }),
    fileName: Type.String({ description: 'Name of the file.' }),
    mimeType: Type.String({ description: 'Media type of the file.' }),
    size: Type.Integer({ description: 'Size in bytes.' }),
    sha256: Type.String({ description: 'SHA-256 of the file as it was uploaded, 64 hex digits.' }),
    createdAt: instant('When the file was uploaded.'),
  },
  {
    title: 'Media',
    description: 'An uploaded file.',
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

/** What a deletion returns. */
export const DeletedMedia = Type.Object(
  { mediaId: Type.String({ description: 'Id of the deleted file.', examples: ['1037543291543636'] }) },
  { title: 'DeletedMedia', description: 'The deleted file.' },
);

const senderId = Type.String({
  maxLength: 64,
  description:
    'Id of the sender that registers the file with the platform. Another sender of the account does it while this one is unavailable. Default: the default sender.',
});

export const UploadQuery = Type.Object(
  { senderId: Type.Optional(senderId) },
  { additionalProperties: false },
);

export const UploadForm = Type.Object(
  {
    senderId: Type.Optional(
      Type.String({ ...senderId, description: 'Like the query parameter; must come before the file.' }),
    ),
    file: Type.String({ format: 'binary', description: 'The file, with its name and its Content-Type.' }),
  },
  { additionalProperties: false, title: 'UploadMedia', description: 'The file to upload.' },
);

export const ListMediaQuery = Type.Object(cursorProperties, { additionalProperties: false });
export const MediaParams = Type.Object({ mediaId: Type.String() }, { additionalProperties: false });
export const NoQuery = Type.Object({}, { additionalProperties: false });
