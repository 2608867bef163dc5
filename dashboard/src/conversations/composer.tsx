// A free answer, of text or a file with a text. Ctrl and Enter send it.
import IconPaperclip from '@tabler/icons-react/dist/esm/icons/IconPaperclip.mjs';
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import IconTemplate from '@tabler/icons-react/dist/esm/icons/IconTemplate.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Contact, Media } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { keptKeyOf } from '../api/key-of.ts';
import { sendersQuery } from '../api/senders.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { changeUnsent, useUnsent } from './unsent.ts';
import type { ReplyWindow } from './window.ts';

const lengthMax = 4_096;

interface Props {
  contact: Contact;
  windows: ReplyWindow[];
  /** Undefined: the session may not see templates. */
  onTemplate?: () => void;
}

export function Composer({ contact: { _id: id, phone, userId }, windows, onTemplate }: Props) {
  const text = textsOf('conversations');
  const queries = useQueryClient();
  const { typed, file } = useUnsent(id);
  const setFile = (attached: Media | undefined) => changeUnsent(id, () => ({ file: attached }));
  const [senderId, setSender] = useState(windows[0]?.senderId);
  const { keyOf, renew } = keptKeyOf(`reply ${id}`);
  const words = typed.trim();
  const sender = windows.some((one) => one.senderId === senderId) ? senderId : windows[0]?.senderId;
  const body = {
    ...(phone === null ? { userId: userId ?? '' } : { phone }),
    ...(sender ? { senderId: sender } : {}),
    ...(file ? { media: { mediaId: file.mediaId, ...(words ? { caption: words } : {}) } } : { text: words }),
    markRead: true,
  };
  const mutationKey = ['reply', id];
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: (_sent: { typed: string; file: Media | undefined }) =>
      api.sendReply({ body }, { idempotencyKey: keyOf(body) }),
    onSuccess: (_, sent) => {
      renew();
      // what was typed in the meantime stays
      changeUnsent(id, (now) => ({
        typed: now.typed.startsWith(sent.typed) ? now.typed.slice(sent.typed.length).trimStart() : now.typed,
        file: now.file === sent.file ? undefined : now.file,
      }));
      void queries.invalidateQueries({ queryKey: ['received'] });
      void queries.invalidateQueries({ queryKey: ['contacts'] });
    },
  });
  // not the state of this component: the answer may have been sent before another person was shown
  const last = useMutationState({ filters: { mutationKey }, select: ({ state }) => state }).at(-1);
  const isPending = last?.status === 'pending';
  // pressed in the field itself
  usePageKeys([{ text: 'reply', run: {}, shown: ['Ctrl', 'Enter'] }]);
  const canSend = (words !== '' || file !== undefined) && !isPending;
  const send = () => {
    if (canSend) mutate({ typed, file });
  };
  return (
    <Form className="answer column" onSubmit={send}>
      {last?.error && <ErrorNote error={last.error} />}
      <div className="composer">
        {file && (
          <div className="row small">
            <IconPaperclip size={14} aria-hidden />
            <span className="cut" dir="auto">
              {file.fileName}
            </span>
            <IconButton label={text('removeFile')} onClick={() => setFile(undefined)}>
              <IconX size={14} aria-hidden />
            </IconButton>
          </div>
        )}
        <textarea
          rows={2}
          dir="auto"
          maxLength={lengthMax}
          aria-label={text('reply')}
          placeholder={text('reply')}
          value={typed}
          onChange={({ target }) => changeUnsent(id, () => ({ typed: target.value }))}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            send();
          }}
        />
        <div className="row wrap">
          <Attach onUploaded={setFile} />
          {onTemplate && (
            <IconButton label={text('template')} onClick={onTemplate}>
              <IconTemplate size={17} aria-hidden />
            </IconButton>
          )}
          {windows.length > 1 && <SenderChoice windows={windows} value={sender ?? ''} onChange={setSender} />}
          <span className="keys end small note wide-only">
            <span>
              <kbd>Ctrl</kbd>
              <kbd>↵</kbd> {text('sendKey')}
            </span>
          </span>
          <Button
            type="submit"
            kind="primary"
            icon={<IconSend size={15} aria-hidden />}
            isDisabled={!canSend}
            isBusy={isPending}
          >
            {text('send')}
          </Button>
        </div>
      </div>
    </Form>
  );
}

function Attach({ onUploaded }: { onUploaded: (media: Media) => void }) {
  const text = textsOf('conversations');
  const mayUpload = useMay('media:write');
  const { mutate, isPending, error } = useMutation({
    mutationFn: (file: File) => api.uploadMedia({ body: { file } }),
    onSuccess: onUploaded,
  });
  if (!mayUpload) return null;
  return (
    <>
      <label className="icon-button attach" title={text('attach')} aria-busy={isPending}>
        <IconPaperclip size={17} aria-hidden />
        <input
          type="file"
          className="hidden-text"
          aria-label={text('attach')}
          disabled={isPending}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file) mutate(file);
            target.value = '';
          }}
        />
      </label>
      {error && <ErrorNote error={error} />}
    </>
  );
}

interface SenderProps {
  windows: ReplyWindow[];
  value: string;
  onChange: (senderId: string) => void;
}

/** From which of several numbers the answer goes. */
function SenderChoice({ windows, value, onChange }: SenderProps) {
  const text = textsOf('conversations');
  const mayManage = useMay('manage');
  const { data } = useQuery({
    ...sendersQuery,
    enabled: mayManage,
  });
  const nameOf = (id: string) => data?.items.find(({ _id }) => _id === id)?.name ?? id;
  return (
    <select
      className="input"
      aria-label={text('from')}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {windows.map(({ senderId }) => (
        <option key={senderId} value={senderId}>
          {nameOf(senderId)}
        </option>
      ))}
    </select>
  );
}
