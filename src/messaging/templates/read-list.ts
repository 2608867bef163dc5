// The platform's whole list of templates, read page by page within limits.
import { VendorError } from '../../base/errors.ts';
import type { MessagingPlatform, PlatformTemplate, SenderAccess } from '../../ports/platform.ts';

/** The platform allows 6,000 templates in a business account, so a longer list would never end. */
const templatesMax = 20_000;
/** Ten thousand characters for each of 6,000 templates; all are in memory together. */
const charactersMax = 64 * 1024 * 1024;

/** Reads every page of a business account. Throws VendorError for a list that is too long or too large. */
export async function readTemplateList(
  { platform }: { platform: Pick<MessagingPlatform, 'listTemplates'> },
  access: SenderAccess,
): Promise<{ templates: PlatformTemplate[]; calls: number }> {
  const templates: PlatformTemplate[] = [];
  let after: string | undefined;
  let calls = 0;
  let characters = 0;
  do {
    const page = await platform.listTemplates(access, after);
    calls += 1;
    templates.push(...page.templates);
    after = page.after;
    if (templates.length > templatesMax || (after !== undefined && page.templates.length === 0))
      throw new VendorError('unknown', 'the list of templates does not end');
    characters += JSON.stringify(page.templates).length;
    if (characters > charactersMax) throw new VendorError('unknown', 'the list of templates is too large');
  } while (after !== undefined);
  return { templates, calls };
}
