// The file of a header: an https address that the platform fetches, or an upload.
import { useMutation } from '@tanstack/react-query';
import type { TemplateInput } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { ErrorNote } from '../design/messages.tsx';
import { TextField } from '../design/text-field.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import './templates.css';

/** The files that the platform takes for each kind. */
const accepted = {
  image: 'image/jpeg,image/png',
  video: 'video/mp4,video/3gpp',
  document: '.pdf,.doc,.docx,.xls,.xlsx,.ppt,.pptx,.txt',
};

interface Props {
  input: TemplateInput;
  /** An address, or the `mediaId` of an upload. */
  value: string;
  problem?: string | undefined;
  /** Where the file is in the message. */
  place?: string;
  /** True: no address can be given. */
  isUploadOnly?: boolean;
  onChange: (value: string) => void;
}

export function FileField({
  input: { key, media },
  value,
  problem,
  place,
  isUploadOnly = false,
  onChange,
}: Props) {
  const text = textsOf('files');
  const mayUpload = useMay('media:write');
  const upload = useMutation({
    mutationFn: (file: File) => api.uploadMedia({ body: { file } }),
    onSuccess: ({ mediaId }) => onChange(mediaId),
  });
  const id = `file-${key}`;
  const isUploaded = upload.data !== undefined && upload.data.mediaId === value;
  return (
    <div>
      {!isUploadOnly && (
        <TextField
          label={place ? `${place}: ${text('address')}` : text('address')}
          tag={key}
          type="url"
          dir="ltr"
          placeholder="https://"
          value={isUploaded ? '' : value}
          aria-describedby={`${id}-note`}
          isWrong={problem !== undefined && value !== ''}
          onChange={(typed) => onChange(typed.trim())}
        />
      )}
      {mayUpload && (
        <label className="upload-field">
          <span className="text-button">{text('upload')}</span>
          <input
            type="file"
            className="hidden-text"
            accept={accepted[media ?? 'document']}
            disabled={upload.isPending}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) upload.mutate(file);
            }}
          />
        </label>
      )}
      <div id={`${id}-note`} className="field-note" role="status">
        {upload.isPending && text('uploading')}
        {isUploaded && text('uploaded', { name: upload.data.fileName ?? upload.data.mediaId })}
        {!upload.isPending && !isUploaded && (problem ?? text(media ?? 'document'))}
      </div>
      {upload.error && <ErrorNote error={upload.error} />}
    </div>
  );
}
