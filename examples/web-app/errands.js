/** The list of errands, without the page or the hub. Stored in the browser, so that a reload keeps it. */
const KEY = 'errands';

export function openErrands(onChange) {
  const errands = JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? [
    { id: 1, text: 'Return the library books', isDone: false },
    { id: 2, text: 'Buy stamps', due: 'Friday', isDone: false },
    { id: 3, text: 'Water the tomatoes', isDone: true },
  ];
  const changed = () => {
    localStorage.setItem(KEY, JSON.stringify(errands));
    onChange(errands);
  };
  const find = (id) => {
    const errand = errands.find((each) => each.id === id);
    if (errand === undefined) throw new Error(`There is no errand ${id}. Call list_errands for the ids.`);
    return errand;
  };
  onChange(errands);
  return {
    list: () => errands.map((errand) => ({ ...errand })),
    add(text, due) {
      if (text.trim() === '') throw new Error('The text of an errand must not be empty.');
      const id = Math.max(0, ...errands.map((each) => each.id)) + 1;
      const errand = { id, text: text.trim(), ...(due && { due }), isDone: false };
      errands.push(errand);
      changed();
      return { ...errand };
    },
    finish(id, isDone = true) {
      const errand = find(id);
      errand.isDone = isDone;
      changed();
      return { ...errand };
    },
    clearFinished() {
      const open = errands.filter(({ isDone }) => !isDone);
      const removed = errands.length - open.length;
      errands.splice(0, errands.length, ...open);
      changed();
      return { removed };
    },
  };
}
