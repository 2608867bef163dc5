// Signing in: by a link that was made for the person, or with a key. Only the button signs in, so that link scanners cannot.
import IconEye from '@tabler/icons-react/dist/esm/icons/IconEye.mjs';
import IconEyeOff from '@tabler/icons-react/dist/esm/icons/IconEyeOff.mjs';
import { useEffect, useState } from 'react';
import { GatewayConnectionError, isGatewayError } from '../../../client/src/errors.ts';
import type { OfferedLink } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Form } from '../design/form.tsx';
import { Mark } from '../shell/mark.tsx';
import { chooseLanguage, type Language, language, languages } from '../text/language.ts';
import { loadTexts, textsOf } from '../text/texts.ts';
import { OfferedLinkFacts } from './offered-link.tsx';
import './sign-in.css';

const linkPrefix = '#link=';

/** The link's token: it stands behind the #, which browsers send to nobody. */
const tokenOf = (hash: string): string | undefined =>
  hash.startsWith(linkPrefix) ? decodeURIComponent(hash.slice(linkPrefix.length)) : undefined;

interface Props {
  /** Called once the cookie is set. */
  onSignedIn: () => void;
  /** True above the page of a session that ended: what was typed there has to stay. */
  isAgain?: boolean;
}

export function SignIn({ onSignedIn, isAgain = false }: Props) {
  const text = textsOf('signIn');
  const [token] = useState(() => tokenOf(location.hash));
  const [key, setKey] = useState('');
  const [isShown, setShown] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const [offered, setOffered] = useState<OfferedLink>();
  const [isUsedUp, setUsedUp] = useState(false);

  // seeing what a link gives does not use it
  useEffect(() => {
    if (!token) return;
    Promise.all([api.describeLink({ body: { link: token } }), loadTexts('keys')]).then(
      ([link]) => setOffered(link),
      // any other failure is met by the button
      (error) => isGatewayError(error, 'link_used') && setUsedUp(true),
    );
  }, [token]);

  function messageOf(error: unknown): string {
    if (isGatewayError(error, 'link_used')) return text('linkUsed');
    if (isGatewayError(error, 'api_key_invalid')) return text('keyInvalid');
    if (error instanceof GatewayConnectionError) return text('away');
    return (error as Error).message;
  }

  async function signIn(body: { key: string } | { link: string }): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      await api.signIn({ body });
      // the token is used up: it must not stay in the address
      history.replaceState(history.state, '', location.pathname + location.search);
      onSignedIn();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className="sign-in">
      <div className="sign-in-box">
        <div className="row">
          <Mark />
          <span className="strong">Chatbot Gateway</span>
        </div>
        <div>
          <h1>
            {isAgain
              ? text('again')
              : offered
                ? text('titleOf', { account: offered.account.name })
                : text('title')}
          </h1>
          {isAgain && <p className="muted">{text('againText')}</p>}
          <p className="muted">{text(token && !isUsedUp ? 'byLink' : 'byKey')}</p>
        </div>
        {problem && (
          <div className="note-box bad" role="alert">
            {problem}
          </div>
        )}
        {isUsedUp && !problem && (
          <div className="note-box warn" role="alert">
            {text('linkUsed')}
          </div>
        )}
        {offered && <OfferedLinkFacts link={offered} />}
        {token && !isUsedUp && (
          <>
            <Button kind="primary" size="large" isBusy={isBusy} onClick={() => void signIn({ link: token })}>
              {text('here')}
            </Button>
            <div className="or">
              <span>{text('or')}</span>
            </div>
          </>
        )}
        <Form className="row" onSubmit={() => void signIn({ key: key.trim() })}>
          <input
            className="input grow"
            type={isShown ? 'text' : 'password'}
            autoComplete="off"
            spellCheck={false}
            aria-label={text('key')}
            placeholder="cgw_…"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
          <IconButton label={text(isShown ? 'hideKey' : 'showKey')} onClick={() => setShown(!isShown)}>
            {isShown ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
          </IconButton>
          <Button type="submit" isDisabled={key.trim() === ''} isBusy={isBusy}>
            {text('submit')}
          </Button>
        </Form>
        <p className="small note">{text('why')}</p>
        <p className="small note">
          {text('noLink')} <code className="mono">gateway dashboard-link</code>
        </p>
      </div>
      {/* another language loads the page again */}
      {!isAgain && <LanguageChoice label={text('language')} />}
    </main>
  );
}

function LanguageChoice({ label }: { label: string }) {
  return (
    <nav className="languages row wrap small" aria-label={label}>
      {(Object.keys(languages) as Language[]).map((one) => (
        <button
          key={one}
          type="button"
          lang={one}
          className="text-button"
          aria-pressed={one === language}
          onClick={() => chooseLanguage(one)}
        >
          {languages[one]}
        </button>
      ))}
    </nav>
  );
}
