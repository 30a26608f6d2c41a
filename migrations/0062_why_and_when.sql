-- The day on which something happened, if it is not the one on which it was recorded.
ALTER TABLE memories ADD COLUMN happened_on TEXT;

-- Why an assistant made a change, in its own words.
ALTER TABLE activity ADD COLUMN reason TEXT;
