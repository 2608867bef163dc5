// Coordinates as the platform's published schema has them: texts. Pure.

/** A latitude or longitude as digits: JavaScript writes small numbers with an exponent. Ten places are a hundredth of a millimetre. */
const degrees = (value: number): string => {
  const text = String(value);
  return text.includes('e') ? value.toFixed(10).replace(/\.?0+$/, '') : text;
};

/** Both coordinates of a place. */
export const coordinates = ({ latitude, longitude }: { latitude: number; longitude: number }) => ({
  latitude: degrees(latitude),
  longitude: degrees(longitude),
});
