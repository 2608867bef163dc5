// One bubble of a phone: header, text, footer and the buttons below it. What has no value yet is marked.
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import IconExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import IconMapPin from '@tabler/icons-react/dist/esm/icons/IconMapPin.mjs';
import IconPhone from '@tabler/icons-react/dist/esm/icons/IconPhone.mjs';
import type { ReactNode } from 'react';
import type { MessageParts } from '../../../client/src/generated.ts';

type Header = NonNullable<MessageParts['header']>;
type Button = MessageParts['buttons'][number];

interface Props {
  header: Header | null;
  body: string;
  footer: string | null;
  buttons: Button[];
  time: string | null;
  /** Above the text. */
  children?: ReactNode;
  /** What happens when a button is pressed; undefined: it is only a picture. */
  onButton?: ((button: Button) => void) | undefined;
}

export function Bubble({ header, body, footer, buttons, time, children, onButton }: Props) {
  return (
    <div className="bubbles">
      <div className="bubble">
        {header && <HeaderPart header={header} />}
        {children}
        {body !== '' && (
          <div className="bubble-text" dir="auto">
            <WithGaps text={body} />
          </div>
        )}
        {footer && (
          <div className="bubble-foot" dir="auto">
            {footer}
          </div>
        )}
        {time && (
          <div className="bubble-time" dir="ltr">
            {time}
          </div>
        )}
      </div>
      {buttons.map((button) => {
        const label = (
          <>
            {buttonIcons[button.type]}
            <span dir="auto">{button.text ?? button.code ?? button.type}</span>
          </>
        );
        return onButton ? (
          <button key={button.index} type="button" className="bubble-button" onClick={() => onButton(button)}>
            {label}
          </button>
        ) : (
          <div key={button.index} className="bubble-button">
            {label}
          </div>
        );
      })}
    </div>
  );
}

const buttonIcons: Record<string, ReactNode> = {
  URL: <IconExternalLink size={15} aria-hidden />,
  PHONE_NUMBER: <IconPhone size={15} aria-hidden />,
  COPY_CODE: <IconCopy size={15} aria-hidden />,
  OTP: <IconCopy size={15} aria-hidden />,
};

/** A text; a placeholder without a value is a dashed gap with its key. */
const WithGaps = ({ text }: { text: string }) => (
  <>
    {[...text.matchAll(/\{\{\s*([\w.]+)\s*\}\}|[^{]+|\{/g)].map((match) =>
      match[1] === undefined ? (
        match[0]
      ) : (
        <span key={match.index} className="gap" dir="ltr">
          {match[1]}
        </span>
      ),
    )}
  </>
);

function HeaderPart({ header: { type, text, url, fileName, location, product } }: { header: Header }) {
  if (type === 'text')
    return (
      <div className="bubble-head" dir="auto">
        <WithGaps text={text ?? ''} />
      </div>
    );
  if (type === 'location')
    return (
      <div className="bubble-file">
        <IconMapPin size={16} aria-hidden />
        <div className="strong" dir="auto">
          {location?.name}
        </div>
        <div dir="auto">{location?.address}</div>
      </div>
    );
  return (
    <div className="bubble-file mono" dir="ltr">
      {type}
      <br />
      {fileName ?? url ?? product?.productId}
    </div>
  );
}
