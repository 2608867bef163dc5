// The words of categories.
import { textsOf } from '../text/texts.ts';

/** The category in the viewer's words; the platform's own word if it is another one. */
export function categoryWord(category: string): string {
  const text = textsOf('templates');
  switch (category) {
    case 'AUTHENTICATION':
      return text('authentication');
    case 'MARKETING':
      return text('marketing');
    case 'UTILITY':
      return text('utility');
    default:
      return category;
  }
}
