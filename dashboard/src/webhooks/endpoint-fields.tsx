// What an endpoint is: its address, what people call it, and the events that it gets.
import { TextField } from '../design/text-field.tsx';
import { textsOf } from '../text/texts.ts';
import { type EventKind, eventKinds } from './event-kinds.ts';

export interface EndpointValues {
  url: string;
  description: string;
  events: EventKind[];
}

/** Whether the values can be stored; the gateway checks the address itself. */
export const isComplete = ({ url, events }: EndpointValues): boolean =>
  url.trim() !== '' && events.length > 0;

const descriptionMax = 500;

interface Props {
  values: EndpointValues;
  onChange: (values: EndpointValues) => void;
}

export function EndpointFields({ values, onChange }: Props) {
  const text = textsOf('webhooks');
  const { url, description, events } = values;
  const toggle = (kind: EventKind) =>
    onChange({
      ...values,
      events: events.includes(kind) ? events.filter((one) => one !== kind) : [...events, kind],
    });
  return (
    <>
      <div className="fields">
        <TextField
          label={text('address')}
          type="url"
          dir="ltr"
          required
          placeholder="https://example.com/webhooks"
          value={url}
          onChange={(typed) => onChange({ ...values, url: typed })}
        />
        <TextField
          label={text('description')}
          maxLength={descriptionMax}
          placeholder={text('descriptionHint')}
          value={description}
          onChange={(typed) => onChange({ ...values, description: typed })}
        />
      </div>
      <fieldset className="event-kinds">
        <legend className="strong">{text('events')}</legend>
        {eventKinds.map((kind) => (
          <label key={kind} className="row mono">
            <input type="checkbox" checked={events.includes(kind)} onChange={() => toggle(kind)} />
            {kind}
          </label>
        ))}
      </fieldset>
    </>
  );
}
