def total(rows):
    """The sum of all rows in cents, tax included."""
    return round(sum(row["net"] * (100 + row["tax"]) / 100 for row in rows))
