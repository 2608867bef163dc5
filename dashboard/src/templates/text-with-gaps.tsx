// A template's text with its placeholders marked.
import { piecesOf } from './template-state.ts';
import './templates.css';

/** A template's text, its placeholders marked. */
export const TextWithGaps = ({ text }: { text: string }) => (
  <>
    {piecesOf(text).map((piece) =>
      piece.isPlaceholder ? (
        <span key={piece.at} className="placeholder">
          {piece.text}
        </span>
      ) : (
        piece.text
      ),
    )}
  </>
);
