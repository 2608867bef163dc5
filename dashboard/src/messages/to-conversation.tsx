// The way from a message to everything that the person and the account wrote to each other.
import IconMessages from '@tabler/icons-react/dist/esm/icons/IconMessages.mjs';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MessageDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';

/** Nothing for people who are no contact: they never wrote. */
export function ToConversation({ message: { recipientPhone, recipientUserId } }: { message: MessageDetail }) {
  const text = textsOf('messages');
  const mayRead = useMay('conversations:read');
  const person = recipientPhone ? { phone: recipientPhone } : { userId: recipientUserId ?? '' };
  const { data } = useQuery({
    queryKey: ['contacts', 'of', recipientPhone ?? recipientUserId ?? ''],
    queryFn: () => api.listContacts({ ...person, limit: 1 }),
    enabled: mayRead,
    meta: { kinds: ['received'] },
  });
  const [contact] = data?.items ?? [];
  if (!contact) return null;
  return (
    <Link to="/conversations/$id" params={{ id: contact._id }} className="button default">
      <IconMessages size={15} aria-hidden />
      {text('conversation')}
    </Link>
  );
}
